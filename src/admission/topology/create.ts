// Rules for the topology constraints of a new PodCliqueSet (spec api 3.5), in stages: what a stage
// finds wrong keeps the later ones from being judged.
import { invalid } from '#machines/kubernetes/field-errors.ts';
import type { Found, FoundBinding } from '../found.ts';
import { type Example, fine, type FieldError, internal, type Rule } from '../rule.ts';
import { cliquesPath, groupsPath, type SetSubject } from '../view.ts';
import { quoted } from '../words.ts';
import {
  allOf,
  type Constraint,
  constraintsOf,
  domainsOf,
  resolve,
  setConstraintPath as top,
  topologyNamePath,
} from './constraint.ts';
import { tooNarrow } from './hierarchy.ts';

const router = `${cliquesPath}[0].topologyConstraint`;
const leader = `${cliquesPath}[1].topologyConstraint`;
const decode = `${groupsPath}[0].topologyConstraint`;

const isOn = { topologyAware: true };
const fabric: Found = {
  bindings: { fabric: { is: 'there', domains: ['zone', 'block', 'rack'] } },
};
const pack = (required: string, topologyName = 'fabric') => ({ topologyName, pack: { required } });
const inherit = (pack: Readonly<Record<string, string>>) => ({ pack });
const on = <E extends Example>(example: E): E => ({ settings: isOn, found: fabric, ...example });

const whenOn =
  (check: (subject: SetSubject) => readonly FieldError[]) =>
  (subject: SetSubject): readonly FieldError[] =>
    subject.settings.topologyAware ? check(subject) : fine;

/** What is known of the binding that the constraints name. */
function bindingOf({ set, found }: SetSubject): FoundBinding | undefined {
  const { topology } = resolve(set);
  if (topology === undefined) return undefined;
  return found.bindings?.[topology] ?? { is: 'missing' };
}

const domainsFor = (subject: SetSubject): readonly string[] => {
  const binding = bindingOf(subject);
  return binding?.is === 'there' ? binding.domains : [];
};

const offRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T1',
    field: '<set, clique or group>.topologyConstraint',
    types: ['FieldValueInvalid'],
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
    refuses: [
      {
        given: { [top]: pack('rack'), [router]: { pack: { preferred: 'rack' } } },
        says: [
          `${top}: Invalid value: ["rack"]: topology-aware scheduling is switched off in the operator`,
          `${router}: Invalid value: ["rack"]: topology-aware scheduling is switched off in the operator`,
        ],
      },
    ],
  },
];

const nameRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T2',
    field: '<constraint>.topologyName',
    types: ['FieldValueRequired'],
    demands: 'be set, or be inherited from the set or the group',
    check: whenOn(({ set }) => resolve(set).missing),
    accepts: on({ given: { [decode]: pack('block'), [leader]: inherit({ required: 'rack' }) } }),
    refuses: [
      on({
        given: { [router]: inherit({ required: 'rack' }) },
        says: `${router}.topologyName: Required value: must name a ClusterTopologyBinding`,
      }),
    ],
  },
  {
    id: 'T3',
    field: '<constraint>.topologyName',
    types: ['FieldValueInvalid'],
    demands: 'equal the inherited one, if any',
    check: whenOn(({ set }) => resolve(set).differing),
    accepts: on({ given: { [top]: pack('zone'), [router]: pack('rack') } }),
    refuses: [
      on({
        given: { [top]: pack('zone'), [router]: pack('rack', 'other') },
        says:
          `${router}.topologyName: Invalid value: "other":` +
          ' must be "fabric", which is inherited from above, or be left out',
      }),
    ],
  },
  {
    id: 'T4',
    field: '<constraint>.topologyName',
    types: ['FieldValueInvalid'],
    demands: 'be the same in the whole set',
    check: whenOn(({ set }) => resolve(set).several),
    accepts: on({ given: { [router]: pack('rack'), [decode]: pack('rack') } }),
    refuses: [
      on({
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
    ],
  },
];

const bindingRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T5',
    field: topologyNamePath,
    types: ['FieldValueInvalid'],
    demands: 'name an existing ClusterTopologyBinding',
    check: whenOn((subject) =>
      bindingOf(subject)?.is === 'missing'
        ? [
            invalid(
              topologyNamePath,
              resolve(subject.set).topology,
              'there is no ClusterTopologyBinding of this name',
            ),
          ]
        : fine,
    ),
    accepts: on({ given: { [top]: pack('rack') } }),
    refuses: [
      on({
        given: { [router]: pack('rack', 'nowhere') },
        says:
          `${topologyNamePath}: Invalid value: "nowhere":` +
          ' there is no ClusterTopologyBinding of this name',
      }),
    ],
  },
  {
    id: 'T6',
    field: topologyNamePath,
    types: ['InternalError'],
    demands: 'name a readable ClusterTopologyBinding',
    check: whenOn((subject) => {
      const binding = bindingOf(subject);
      return binding?.is === 'unknown' ? [internal(topologyNamePath, binding.why)] : fine;
    }),
    accepts: on({ given: { [top]: pack('rack') } }),
    refuses: [
      on({
        given: { [top]: pack('rack') },
        found: { bindings: { fabric: { is: 'unknown', why: 'the server answered 503' } } },
        says: `${topologyNamePath}: Internal error: the server answered 503`,
      }),
    ],
  },
];

const domainRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T7',
    field: '<constraint>.packDomain, <constraint>.pack.required, <constraint>.pack.preferred',
    types: ['FieldValueInvalid'],
    demands: 'be a level of the ClusterTopologyBinding',
    check: whenOn((subject) => {
      const known = domainsFor(subject);
      if (known.length === 0) return fine;
      return allOf(constraintsOf(subject.set)).flatMap((each) => unknownDomains(each, known));
    }),
    accepts: on({ given: { [top]: { ...pack('block'), packDomain: 'block' } } }),
    refuses: [
      on({
        given: { [top]: pack('zone'), [leader]: inherit({ preferred: 'host' }) },
        says:
          `${leader}.pack.preferred: Invalid value: "host":` +
          ' is no level of the topology, which has "zone", "block", "rack"',
      }),
    ],
  },
];

const orderRules: readonly Rule<SetSubject>[] = [
  {
    id: 'T8',
    field: '<parent>.topologyConstraint',
    types: ['FieldValueInvalid'],
    demands: 'require no narrower domain than the cliques and groups below',
    check: whenOn((subject) => tooNarrow(subject.set, domainsFor(subject), 'required')),
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
    types: ['FieldValueInvalid'],
    demands: 'prefer no narrower domain than the cliques and groups below',
    check: whenOn((subject) => tooNarrow(subject.set, domainsFor(subject), 'preferred')),
    accepts: on({
      given: { [top]: { ...pack('zone'), pack: { preferred: 'rack' } }, [router]: pack('zone') },
    }),
    refuses: [
      on({
        given: {
          [top]: { topologyName: 'fabric', pack: { preferred: 'rack' } },
          [decode]: inherit({ preferred: 'block' }),
        },
        says:
          `${top}.pack.preferred: Invalid value: "rack":` +
          ' is narrower than "block", preferred by scaling group "decode"',
      }),
    ],
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
  const fields = {
    packDomain,
    'pack.required': packRequired,
    'pack.preferred': preferred,
  };
  const detail = `is no level of the topology, which has ${quoted(known)}`;
  return Object.entries(fields)
    .filter(([, domain]) => domain !== '' && !known.includes(domain))
    .map(([field, domain]) => invalid(`${path}.${field}`, domain, detail));
}
