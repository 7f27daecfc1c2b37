// What is worth a warning about topology constraints (spec api 3.5).
import type { Advice } from '../rule.ts';
import type { SetSubject } from '../view.ts';
import { allOf, constraintsOf, on, resolve, setConstraintPath as top } from './constraint.ts';

const packed = (required: string, preferred: string) => ({
  topologyName: 'fabric',
  pack: { required, preferred },
});

export const topologyAdvice: readonly Advice<SetSubject>[] = [
  {
    id: 'W2',
    field: '<constraint>.pack.preferred',
    warns: 'that a preferred domain broader than the required one has no effect, in a new object',
    check: ({ set, old, found }) => {
      const { topology } = resolve(set);
      const binding = topology === undefined ? undefined : found.bindings?.[topology];
      if (old !== undefined || binding?.is !== 'there') return [];
      const level = new Map(binding.domains.map((domain, index) => [domain, index]));
      return allOf(constraintsOf(set)).flatMap(({ path, required, preferred }) => {
        const [wide, narrow] = [level.get(preferred), level.get(required)];
        if (wide === undefined || narrow === undefined || wide >= narrow) return [];
        return [
          `${path}.pack.preferred: "${preferred}" is broader than the required "${required}"` +
            ' and so changes nothing',
        ];
      });
    },
    accepts: on({ given: { [top]: packed('block', 'rack') } }),
    advises: on({
      given: { [top]: packed('rack', 'block') },
      says: `${top}.pack.preferred: "block" is broader than the required "rack" and so changes nothing`,
    }),
  },
  {
    id: 'W3',
    field: '<constraint>.packDomain',
    warns: 'that `packDomain` is deprecated, in an update',
    check: ({ set, old }) =>
      old === undefined
        ? []
        : allOf(constraintsOf(set))
            .filter(({ packDomain }) => packDomain !== '')
            .map(({ path }) => `${path}.packDomain: is deprecated, use pack.required`),
    accepts: { before: { 'spec.replicas': 2 } },
    advises: {
      given: { [top]: { topologyName: 'fabric', packDomain: 'rack' } },
      before: { 'spec.replicas': 2 },
      says: `${top}.packDomain: is deprecated, use pack.required`,
    },
  },
];
