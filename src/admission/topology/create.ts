// Rules for the topology constraints of a new PodCliqueSet (spec api 3.5), in stages: what a stage
// finds wrong keeps the later ones from being judged.
import { invalid } from '#machines/kubernetes/field-errors.ts';
import type { FoundBinding } from '../situation.ts';
import { type FieldError, fine, internal, type Rule, unless } from '../rule.ts';
import { cliquesPath, groupsPath, type SetSubject, type SetView } from '../view.ts';
import { quoted } from '../words.ts';
import {
  allOf,
  type Constraint,
  constraintsOf,
  domainsOf,
  on,
  type Resolution,
  resolve,
  setConstraintPath as top,
  topologyNamePath,
} from './constraint.ts';

const router = `${cliquesPath}[0].topologyConstraint`;
const leader = `${cliquesPath}[1].topologyConstraint`;
const decode = `${groupsPath}[0].topologyConstraint`;

const pack = (required: string, topologyName = 'fabric') => ({ topologyName, pack: { required } });
const inherit = (pack: Readonly<Record<string, string>>) => ({ pack });

interface Placed {
  readonly set: SetView;
  readonly resolution: Resolution;
  /** What is known of the binding that the constraints name. */
  readonly binding: FoundBinding | undefined;
  /** Of the binding, where it could be read. */
  readonly domains: readonly string[];
}

const whenOn =
  (check: (placed: Placed) => readonly FieldError[]) =>
  ({ set, settings, found }: SetSubject): readonly FieldError[] => {
    if (!settings.topologyAware) return fine;
    const resolution = resolve(set);
    const { topology } = resolution;
    const missing = { is: 'missing' } as const;
    const binding = topology === undefined ? undefined : (found.bindings?.[topology] ?? missing);
    const domains = binding?.is === 'there' ? binding.domains : [];
    return check({ set, resolution, binding, domains });
  };

const offRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T1',
    field: '<set, clique or group>.topologyConstraint',
    demands: 'not be set in a new object while topologyAwareScheduling is off',
    check: ({ set, settings }) =>
      settings.topologyAware
        ? fine
        : allOf(constraintsOf(set)).map((constraint) =>
            invalid(
              constraint.path,
              domainsOf(constraint),
              'topology-aware scheduling is switched off in the operator',
            ),
          ),
    accepts: on({ given: { [top]: pack('rack') } }),
    refuses: {
      given: { [top]: pack('rack'), [router]: { pack: { preferred: 'rack' } } },
      says: [
        `${top}: Invalid value: ["rack"]: topology-aware scheduling is switched off in the operator`,
        `${router}: Invalid value: ["rack"]: topology-aware scheduling is switched off in the operator`,
      ],
    },
  },
];

const nameRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T2',
    field: '<constraint>.topologyName',
    demands: 'be set, or be inherited from the set or the group',
    check: whenOn(({ resolution }) => resolution.missing),
    accepts: on({ given: { [decode]: pack('block'), [leader]: inherit({ required: 'rack' }) } }),
    refuses: on({
      given: { [router]: inherit({ required: 'rack' }) },
      says: `${router}.topologyName: Required value: must name a ClusterTopologyBinding`,
    }),
  },
  {
    id: 'T3',
    field: '<constraint>.topologyName',
    demands: 'equal the inherited one, if any',
    check: whenOn(({ resolution }) => resolution.differing),
    accepts: on({ given: { [top]: pack('zone'), [router]: pack('rack') } }),
    refuses: on({
      given: { [top]: pack('zone'), [router]: pack('rack', 'other') },
      says:
        `${router}.topologyName: Invalid value: "other":` +
        ' must be "fabric", which is inherited from above, or be left out',
    }),
  },
  {
    id: 'T4',
    field: '<constraint>.topologyName',
    demands: 'be the same in the whole set',
    check: whenOn(({ resolution }) => resolution.several),
    accepts: on({ given: { [router]: pack('rack'), [decode]: pack('rack') } }),
    refuses: on({
      given: { [router]: pack('rack', 'other'), [decode]: pack('rack') },
      says: [
        [router, 'other'],
        [decode, 'fabric'],
      ].map(
        ([path, name]) =>
          `${path}.topologyName: Invalid value: "${name}":` +
          ' all constraints of a set must name one topology, and they name "fabric", "other"',
      ),
    }),
  },
];

const bindingRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T5',
    field: topologyNamePath,
    demands: 'name an existing ClusterTopologyBinding',
    check: whenOn(({ binding, resolution: { topology } }) =>
      unless(binding?.is !== 'missing', () =>
        invalid(topologyNamePath, topology, 'there is no ClusterTopologyBinding of this name'),
      ),
    ),
    accepts: on({ given: { [top]: pack('rack') } }),
    refuses: on({
      given: { [router]: pack('rack', 'nowhere') },
      says:
        `${topologyNamePath}: Invalid value: "nowhere":` +
        ' there is no ClusterTopologyBinding of this name',
    }),
  },
  {
    id: 'T6',
    field: topologyNamePath,
    demands: 'name a readable ClusterTopologyBinding',
    check: whenOn(({ binding }) =>
      binding?.is === 'unknown' ? [internal(topologyNamePath, binding.why)] : fine,
    ),
    accepts: on({ given: { [top]: pack('rack') } }),
    refuses: on({
      given: { [top]: pack('rack') },
      found: { bindings: { fabric: { is: 'unknown', why: 'the server answered 503' } } },
      says: `${topologyNamePath}: Internal error: the server answered 503`,
    }),
  },
];

const domainRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T7',
    field: '<constraint>.packDomain, <constraint>.pack.required, <constraint>.pack.preferred',
    demands: 'be a level of the ClusterTopologyBinding',
    check: whenOn(({ set, domains }) =>
      domains.length === 0
        ? fine
        : allOf(constraintsOf(set)).flatMap((each) => unknownDomains(each, domains)),
    ),
    accepts: on({ given: { [top]: { ...pack('block'), packDomain: 'block' } } }),
    refuses: on({
      given: { [top]: pack('zone'), [leader]: inherit({ preferred: 'host' }) },
      says:
        `${leader}.pack.preferred: Invalid value: "host":` +
        ' is no level of the topology, which has "zone", "block", "rack"',
    }),
  },
];

const orderRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T8',
    field: '<parent>.topologyConstraint',
    demands: 'require no narrower domain than the cliques and groups below',
    check: whenOn(({ set, domains }) => tooNarrow(set, domains, 'required')),
    accepts: on({ given: { [top]: pack('block'), [router]: inherit({ required: 'block' }) } }),
    refuses: [
      on({
        given: { [top]: pack('rack'), [router]: inherit({ required: 'block' }) },
        says: `${top}: Invalid value: "rack": is narrower than "block", required by clique "router"`,
      }),
      on({
        given: { [decode]: pack('rack'), [leader]: inherit({ required: 'zone' }) },
        says: `${decode}: Invalid value: "rack": is narrower than "zone", required by clique "leader"`,
      }),
    ],
  },
  {
    id: 'T9',
    field: '<parent>.topologyConstraint.pack.preferred',
    demands: 'prefer no narrower domain than the cliques and groups below',
    check: whenOn(({ set, domains }) => tooNarrow(set, domains, 'preferred')),
    accepts: on({
      given: { [top]: { ...pack('zone'), pack: { preferred: 'rack' } }, [router]: pack('zone') },
    }),
    refuses: on({
      given: {
        [top]: { topologyName: 'fabric', pack: { preferred: 'rack' } },
        [decode]: inherit({ preferred: 'block' }),
      },
      says:
        `${top}.pack.preferred: Invalid value: "rack":` +
        ' is narrower than "block", preferred by scaling group "decode"',
    }),
  },
];

/** For creation, and for the repair of an old set by an update. */
export const topologyStages: readonly (readonly Rule<SetSubject>[])[] = [
  offRules,
  nameRules,
  bindingRules,
  domainRules,
  orderRules,
];

function unknownDomains(each: Constraint, known: readonly string[]): readonly FieldError[] {
  const { path, packDomain, packRequired, preferred } = each;
  const fields = { packDomain, 'pack.required': packRequired, 'pack.preferred': preferred };
  const detail = `is no level of the topology, which has ${quoted(known)}`;
  return Object.entries(fields)
    .filter(([, domain]) => domain !== '' && !known.includes(domain))
    .map(([field, domain]) => invalid(`${path}.${field}`, domain, detail));
}

/** What a parent demands has to leave room for those below it: a set over its groups and cliques, a
 *  group over its own cliques. */
type Strength = 'required' | 'preferred';

interface Pair {
  readonly parent: Constraint;
  readonly child: Constraint;
  readonly kind: 'clique' | 'scaling group';
}

/** Errors at each parent that is narrower than a child; `domains` from the broadest. */
function tooNarrow(
  set: SetView,
  domains: readonly string[],
  strength: Strength,
): readonly FieldError[] {
  const level = new Map(domains.map((domain, index) => [domain, index]));
  return pairsOf(set).flatMap(({ parent, child, kind }) => {
    const above = level.get(parent[strength]);
    const below = level.get(child[strength]);
    if (above === undefined || below === undefined || above <= below) return [];
    const path = strength === 'required' ? parent.path : `${parent.path}.pack.preferred`;
    const detail = `is narrower than "${child[strength]}", ${strength} by ${kind} "${child.owner}"`;
    return [invalid(path, parent[strength], detail)];
  });
}

function pairsOf(view: SetView): readonly Pair[] {
  const { set, groups, cliques } = constraintsOf(view);
  const byName = new Map(cliques.map((clique) => [clique.owner, clique]));
  const members = new Map(view.groups.map(({ name, cliqueNames }) => [name, cliqueNames]));
  const under = (parent: Constraint, children: readonly Constraint[], kind: Pair['kind']) =>
    children.map((child) => ({ parent, child, kind }));
  return [
    ...(set === undefined
      ? []
      : [...under(set, cliques, 'clique'), ...under(set, groups, 'scaling group')]),
    ...groups.flatMap((group) =>
      under(
        group,
        (members.get(group.owner) ?? []).flatMap((name) => byName.get(name) ?? []),
        'clique',
      ),
    ),
  ];
}
