// Warnings about names that Grove accepts and that fail later (spec api 3.10, items 3 and 5): names
// of children that collide, and names of claims that no pod can carry.
import { text } from '#machines/kubernetes/json.ts';
import type { Advice } from '../rule.ts';
import { cliquesPath, type CliqueView, type SetSubject, type SetView } from '../view.ts';
import { sharesOf, sharingPath } from './entries.ts';

/** A pod names its claims with DNS labels. */
const longestLabel = 63;

const first = `${cliquesPath}[0]`;
const long = 'b'.repeat(60);

export const warnings: readonly Advice<SetSubject>[] = [
  {
    id: 'W7',
    field: '<sharing list>[n].name',
    warns: `that the name of a claim is longer than ${longestLabel} characters, so no pod can use it`,
    check: ({ set }) =>
      ownersOf(set).flatMap(({ path, raw, length }) =>
        sharesOf(path, raw).flatMap((share) => {
          const between = text(share.raw['scope']) === 'AllReplicas' ? '-all-' : '-0-';
          const whole = length + between.length + share.name.length;
          return whole <= longestLabel
            ? []
            : [
                `${share.path}.name: the claims of "${share.name}" get names of ${whole} characters` +
                  ` and more, and pods can use claims of at most ${longestLabel}`,
              ];
        }),
      ),
    accepts: { given: { [sharingPath]: [{ name: 'gpu', scope: 'AllReplicas' }] } },
    advises: {
      given: { [sharingPath]: [{ name: long, scope: 'PerReplica' }] },
      says:
        `${sharingPath}[0].name: the claims of "${long}" get names of 67 characters and more,` +
        ' and pods can use claims of at most 63',
    },
  },
  {
    id: 'W8',
    field: `${cliquesPath}[n].name`,
    warns: 'that a standalone clique has the name of a group member in one of its replicas',
    check: ({ set }) => {
      const members = new Set(
        set.groups.flatMap(({ name, cliqueNames }) =>
          cliqueNames.map((clique) => `${name}-*-${clique}`),
        ),
      );
      return set.cliques
        .filter(
          ({ name }) => !set.members.has(name) && membersLike(name).some((m) => members.has(m)),
        )
        .map(
          ({ path, name }) =>
            `${path}.name: "${name}" is also the name of a member of a scaling group, so two` +
            ' PodCliques want one name',
        );
    },
    accepts: { given: { [`${first}.name`]: 'decode-0' } },
    advises: {
      given: { [`${first}.name`]: 'decode-0-worker' },
      says:
        `${first}.name: "decode-0-worker" is also the name of a member of a scaling group, so two` +
        ' PodCliques want one name',
    },
  },
];

/** `a-0-b` as `a-*-b`, for each place of it that can be an index. */
const membersLike = (name: string): readonly string[] =>
  [...name.matchAll(/-\d+(?=-)/g)].map(
    ({ index, 0: digits }) => `${name.slice(0, index)}-*${name.slice(index + digits.length)}`,
  );

interface Owner {
  /** Of its sharing list. */
  readonly path: string;
  readonly raw: SetView['raw'];
  /** Of the name of an object that owns claims, with indices of one digit. */
  readonly length: number;
}

function ownersOf(set: SetView): readonly Owner[] {
  const base = set.name.length + '-0-'.length;
  const groupOf = new Map(
    set.groups.flatMap(({ name, cliqueNames }) => cliqueNames.map((each) => [each, name] as const)),
  );
  const cliqueLength = ({ name }: CliqueView): number => {
    const group = groupOf.get(name);
    return base + (group === undefined ? 0 : group.length + '-0-'.length) + name.length;
  };
  return [
    { path: sharingPath, raw: set.template, length: set.name.length },
    ...set.groups.map((group) => ({
      path: `${group.path}.resourceSharing`,
      raw: group.raw,
      length: base + group.name.length,
    })),
    ...set.cliques.map((clique) => ({
      path: `${clique.path}.resourceSharing`,
      raw: clique.raw,
      length: cliqueLength(clique),
    })),
  ];
}
