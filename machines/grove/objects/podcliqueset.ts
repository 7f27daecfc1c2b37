// What the podcliqueset actor needs to know of its own object (spec api 1.2), with Grove's defaults
// applied and everything that all replicas share worked out once.
import { jsonHash, shortHash } from '../../kubernetes/hash.ts';
import { at, count, isObject, object, text, type StringMap } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { errorOfGroup } from './computedomain.ts';
import { domainsOf, readConstraint, type Constraint } from './topologybinding.ts';
import { publishesNotReady } from './defaults.ts';
import { forceDeleteIn, terminationDelay } from './delays.ts';
import type { Delay } from './delays.ts';
import { annotation, isOurs } from './labels.ts';
import { readAdopted } from './adopted.ts';
import { keptIn, type Kept } from './kept-replicas.ts';
import { reading } from './meta.ts';
import { errorOfSpec, problemOf, type Problem } from './set-problem.ts';
import { externalTemplate, readClaimSpecs, readSharedClaims } from './claims.ts';
import type { ClaimSpecs, Share } from './claims.ts';
import { readTemplate } from './template.ts';
import type { CliqueTemplate, GroupTemplate, Template } from './template.ts';

export interface ObservedSet extends Meta {
  readonly kind: 'PodCliqueSet';
  readonly replicas: number;
  /** The standalone cliques in template order. */
  readonly cliques: readonly CliqueTemplate[];
  readonly groups: readonly GroupTemplate[];
  /** Groups that have a ComputeDomain in each replica, in template order. */
  readonly domainGroups: readonly string[];
  readonly priorityClassName: string;
  /** On the place of each replica. */
  readonly constraint: Constraint | undefined;
  /** The topology of all constraints: the first that is named; empty where none is. */
  readonly topologyName: string;
  /** Domains of all constraints, sorted, each once. */
  readonly domains: readonly string[];
  readonly sharing: Sharing;
  readonly publishNotReadyAddresses: boolean;
  /** First scheduler that a clique names, or undefined: the default one. */
  readonly schedulerName: string | undefined;
  /** A new template reaches members in place, not replica by replica. */
  readonly updatesOnDelete: boolean;
  /** Somebody asked to replace nothing for a while. */
  readonly isPaused: boolean;
  /** How long a gang may be below its minimum. */
  readonly terminationDelayMs: number;
  /** How long after its time a terminating pod is deleted by force; undefined: never. */
  readonly forceDelete: Delay | undefined;
  /** Of standalone PodCliques that are to be made again. */
  readonly kept: Kept;
  /** Opaque hash of all cliques in list order. */
  readonly generationHash: string;
  /** Why this spec cannot be acted upon, if so. */
  readonly problem: Problem | undefined;
  /** Changes exactly when children of every replica may have to. */
  readonly planKey: string;
  readonly status: JsonObject;
}

/** Claims that pods share (spec controllers 8.2). */
export interface Sharing {
  /** Those of the whole set; groups and cliques have theirs in the template. */
  readonly sharedClaims: readonly Share[];
  readonly own: ClaimSpecs;
  /** Templates of the cluster that are referred to at any level: `namespace/name`. */
  readonly external: readonly string[];
  /** Something is shared at some level. */
  readonly isUsed: boolean;
}

export const readSet = reading((source, meta): ObservedSet | Malformed => {
  const template = at(source['spec'], 'template');
  if (!isObject(template)) return { malformed: 'spec.template is not an object' };
  const adopted = readAdopted(meta.annotations[annotation.adoptedHashes]);
  const read = readTemplate(template, meta.annotations, adopted.templates);
  const { all, standalone, groups } = read;
  const replicas = count(at(source['spec'], 'replicas')) ?? 0;
  const ownHash = jsonHash(all.map((clique) => clique.ownHash));
  return {
    ...meta,
    kind: 'PodCliqueSet',
    replicas,
    cliques: standalone,
    groups,
    domainGroups: domainGroupsOf(all),
    priorityClassName: text(template['priorityClassName']),
    ...topologyIn(template, read),
    sharing: sharingIn(template, read, meta.namespace),
    publishNotReadyAddresses: publishesNotReady(template),
    schedulerName: all.map(schedulerOf).find((name) => name !== ''),
    updatesOnDelete: at(source['spec'], 'updateStrategy', 'type') === 'OnDelete',
    isPaused: meta.annotations[annotation.pauseUpdate] === 'true',
    terminationDelayMs: terminationDelay(template),
    forceDelete: forceDeleteIn(meta),
    kept: keptIn(meta),
    generationHash: adopted.generations[ownHash] ?? ownHash,
    problem: problemIn(source['spec']) ?? problemOf(read, replicas) ?? domainProblem(meta, read),
    planKey: planKey(meta, source['spec']),
    status: object(source['status']),
  };
});

function sharingIn(
  template: JsonObject,
  { all, groups }: Pick<Template, 'all' | 'groups'>,
  namespace: string,
): Sharing {
  const sharedClaims = readSharedClaims(template['resourceSharing'], 'set');
  const every = [
    ...sharedClaims,
    ...groups.flatMap(sharedClaimsOf),
    ...all.flatMap(sharedClaimsOf),
  ];
  if (every.length === 0) return nothingShared;
  const own = readClaimSpecs(template['resourceClaimTemplates']);
  const external = every
    .map((share) => externalTemplate(share, own, namespace))
    .filter((name) => name !== undefined);
  return { sharedClaims, own, external: [...new Set(external)], isUsed: true };
}

const nothingShared: Sharing = { sharedClaims: [], own: new Map(), external: [], isUsed: false };

const sharedClaimsOf = (part: CliqueTemplate | GroupTemplate): readonly Share[] =>
  part.sharedClaims;

function problemIn(spec: unknown): Problem | undefined {
  const message = errorOfSpec(spec);
  return message === undefined ? undefined : { code: 'ERR_SYNC_PODCLIQUE', message };
}

/** The name is looked for in the set, then in its groups, then in its cliques (8.3). */
function topologyIn(
  template: JsonObject,
  { all, groups }: Template,
): Pick<ObservedSet, 'constraint' | 'topologyName' | 'domains'> {
  const constraint = readConstraint(template);
  const constraints = [
    constraint,
    ...groups.map((group) => group.constraint),
    ...all.map((clique) => clique.constraint),
  ].filter((one) => one !== undefined);
  return {
    constraint,
    topologyName: constraints.find(({ topologyName }) => topologyName !== '')?.topologyName ?? '',
    domains: [...new Set(constraints.flatMap(domainsOf))].toSorted(),
  };
}

const domainGroupsOf = (all: readonly CliqueTemplate[]): readonly string[] => [
  ...new Set(all.map(({ domainGroup }) => domainGroup).filter((group) => group !== undefined)),
];

/** Of what admission refuses; a claim of such a name would keep pods from ever starting. */
function domainProblem(meta: Meta, { all, groups }: Template): Problem | undefined {
  const layers = [
    { what: 'the PodCliqueSet', annotations: meta.annotations },
    ...all.map(({ name, annotations }) => ({ what: `clique "${name}"`, annotations })),
    ...groups.map(({ name, annotations }) => ({ what: `scaling group "${name}"`, annotations })),
  ];
  for (const { what, annotations } of layers) {
    const error = errorOfGroup(annotations);
    if (error !== undefined)
      return { code: 'ERR_SYNC_COMPUTEDOMAIN', message: `${what}: ${error}` };
  }
  return undefined;
}

const schedulerOf = ({ spec }: CliqueTemplate): string =>
  text(at(spec, 'podSpec', 'schedulerName'));

/** Without the number of replicas, and with what of the metadata children take over. That a server
 *  sends the fields in another order would cost one plan. */
function planKey(meta: Meta, spec: unknown): string {
  const { replicas: _, ...others } = object(spec);
  const planned = JSON.stringify([
    meta.uid,
    others,
    mirrored(meta.labels),
    mirrored(meta.annotations),
    meta.annotations[annotation.reconcileTrigger] ?? null,
    meta.annotations[annotation.mnnvlGroup] ?? null,
    meta.annotations[annotation.adoptedHashes] ?? null,
    meta.annotations[annotation.forceDeleteAfter] ?? null,
  ]);
  return shortHash(planned, 11);
}

/** What PodGangs take over from their set: everything that is not the operator's. */
export const mirrored = (map: StringMap): StringMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !isOurs(key) && key !== lastApplied));

/** kubectl's copy of the whole object: large, and no news to anybody. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
