// What a write of the controller's may change on an object, kind by kind; whatever else is there
// belongs to others and must come out of the write as it was: fields that nobody here knows, gates,
// owners, finalizers, conditions, labels and annotations. Judged at the API server, at each write
// that took effect, by the object before and after it.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, listAt, textAt } from '../fields.ts';
import { type Place, placeOf } from './place.ts';
import type { Tally } from './tally.ts';

const marks = ['metadata labels', 'metadata annotations'] as const;
const ownFinalizer = 'metadata finalizers #grove.io/';

/** Fields of ours by collection: paths, with `#name` for an entry of a list. */
const ours: Readonly<Record<string, readonly string[]>> = {
  'grove.io/podcliquesets': [
    ownFinalizer,
    'metadata annotations grove.io/token-secret',
    'metadata annotations grove.io/kept-replicas',
    'status',
  ],
  'grove.io/podcliques': [
    ...marks,
    ownFinalizer,
    'spec minAvailable',
    'spec startsAfter',
    'spec podSpec',
    'spec roleName',
    'spec autoScalingConfig',
    'spec resourceSharing',
    'status',
  ],
  'grove.io/podcliquescalinggroups': [
    ...marks,
    ownFinalizer,
    'spec minAvailable',
    'spec cliqueNames',
    'status',
  ],
  'scheduler.grove.io/podgangs': [
    ...marks,
    'spec podgroups',
    'spec topologyConstraint',
    'spec priorityClassName',
    'status phase',
    'status conditions #Initialized',
    'status conditions #Parked',
  ],
  '/pods': [
    'metadata labels app.kubernetes.io/managed-by',
    'spec schedulingGates #grove.io/podgang-pending-creation',
  ],
  '/services': [
    'metadata labels',
    'spec clusterIP',
    'spec selector',
    'spec publishNotReadyAddresses',
  ],
  '/serviceaccounts': ['metadata labels', 'automountServiceAccountToken'],
  'autoscaling/horizontalpodautoscalers': [
    'metadata labels',
    'spec scaleTargetRef',
    'spec minReplicas',
    'spec maxReplicas',
    'spec metrics',
  ],
  'resource.k8s.io/resourceclaims': ['metadata labels', 'metadata ownerReferences'],
  'resource.nvidia.com/computedomains': [ownFinalizer],
  'scheduling.run.ai/podgroups': [
    ...marks,
    'metadata ownerReferences',
    'spec queue',
    'spec minMember',
    'spec priorityClassName',
    'spec topologyConstraint',
    'spec subGroups',
  ],
  'grove.io/clustertopologybindings': ['status'],
};

/** The API server's own. */
const bookkeeping = [
  'metadata resourceVersion',
  'metadata generation',
  'metadata managedFields',
  'metadata deletion',
];

/** What strangers.ts and the user put there. PodGangs mirror their set, so there such a label may
 *  be added, changed, and where a set ever had it taken away. */
const isForeign = (path: string): boolean => / #?foreign[-/]/.test(path);

export class Keeps {
  readonly #store: Store;
  readonly #tally: Tally;
  readonly #violate: (what: string) => void;

  /** Paths of what others ever put on a set. */
  readonly #onSets = new Set<string>();

  constructor(store: Store, tally: Tally, violate: (what: string) => void) {
    this.#store = store;
    this.#tally = tally;
    this.#violate = violate;
    store.collection('grove.io/podcliquesets').onChange(({ object }) => {
      for (const path of flattened(object).keys()) if (isForeign(path)) this.#onSets.add(path);
    });
  }

  /** Carries a request out, and judges what it changed. */
  async judge(request: KubeRequest, carryOut: () => Promise<KubeResponse>): Promise<KubeResponse> {
    const place = placeOf(request.path);
    const isUpdate = request.method === 'PATCH' || request.method === 'PUT';
    if (!isUpdate || ['events', 'leases'].includes(place.plural)) return carryOut();
    this.#judgeFinalizers(request, place);
    const { version } = this.#store;
    const response = await carryOut();
    if (response.status < 300) this.#judgeEffect(request, place, response, version);
    return response;
  }

  /** Where the last one goes nothing is left to compare. */
  #judgeFinalizers({ path, body }: KubeRequest, { collection, namespace, name }: Place): void {
    const live = this.#store.collection(collection).get(namespace, name);
    const wanted = at(body, 'metadata', 'finalizers');
    const version = at(body, 'metadata', 'resourceVersion');
    if (!Array.isArray(wanted) || version !== at(live, 'metadata', 'resourceVersion')) return;
    for (const finalizer of listAt(live, 'metadata', 'finalizers').map(String)) {
      if (finalizer.startsWith('grove.io/') || wanted.includes(finalizer)) continue;
      this.#violate(`PATCH of ${path} takes off what is not ours: finalizer ${finalizer}`);
    }
  }

  #judgeEffect(
    { method, body: asked }: KubeRequest,
    { collection, plural, name }: Place,
    { body }: KubeResponse,
    since: number,
  ): void {
    const version = Number(textAt(body, 'metadata', 'resourceVersion'));
    // The last finalizer went and the object with it, or nothing changed.
    if (version <= since) return;
    const change = this.#store.collection(collection).changesAfter(version - 1)?.[0];
    if (change?.version !== version || change.previous === undefined) {
      return this.#tally.abstained('marks of others', 'history compacted');
    }
    const { previous, object } = change;
    const before = flattened(previous);
    if ([...before.keys()].some(isForeign)) this.#tally.judged('marks of others');
    else this.#tally.abstained('marks of others', 'none there');
    for (const lost of wronglyChanged(collection, before, flattened(object))) {
      // A write that changes nothing is answered with a version that somebody else made meanwhile.
      if (!isAskedFor(asked, lost)) continue;
      if (plural === 'podgangs' && this.#onSets.has(lost)) continue;
      this.#violate(`${method} of ${plural} ${name} changes what is not ours: ${lost}`);
    }
  }
}

function wronglyChanged(
  collection: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const own = [...bookkeeping, ...(ours[collection] ?? [])];
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    if (before.get(path) === after.get(path)) return false;
    if (isForeign(path)) return !after.has(path);
    return !own.some((prefix) => path.startsWith(prefix));
  });
}

/** The body says something of this path. */
function isAskedFor(body: unknown, path: string): boolean {
  let here = body;
  for (const field of path.split(' ')) {
    if (typeof here !== 'object' || here === null || Array.isArray(here)) return true;
    if (!Object.hasOwn(here, field)) return false;
    here = at(here, field);
  }
  return true;
}

/** Each leaf under its path. The order of a list does not count. */
function flattened(object: Stored): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) leaves.set(path, JSON.stringify(value));
    else if (!Array.isArray(value)) {
      for (const [key, field] of Object.entries(value)) add(`${path} ${key}`, field);
    } else {
      for (const [index, entry] of value.entries())
        add(`${path} #${identity(entry, index)}`, entry);
    }
  };
  for (const [key, field] of Object.entries(object)) {
    if (typeof field !== 'object' || field === null) add(key, field);
    else for (const [inner, value] of Object.entries(field)) add(`${key} ${inner}`, value);
  }
  return leaves;
}

function identity(entry: unknown, index: number): string {
  if (typeof entry !== 'object') return String(entry);
  return String(at(entry, 'name') ?? at(entry, 'type') ?? index);
}
