// Others at work on every kind of object that the controller writes: they add labels, annotations,
// finalizers, owners, conditions, gates, and fields that the controller does not know, and take the
// last four of them back in the end. keeps.ts says whether a write of the controller's lost one.
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, fieldsAt, listAt, textAt, uidOf } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { strangersOwner } from '../world/pending.ts';
import { between, namespace, pick } from './workload.ts';

interface Target {
  readonly collection: string;
  readonly path: string;
  /** A field that the controller does not write, and its absence. */
  readonly field?: readonly [set: JsonObject, unset: JsonObject];
  readonly hasConditions?: true;
}

const inDefault = (apiVersion: string, plural: string): string =>
  `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${plural}`;

const target = (
  apiVersion: string,
  plural: string,
  more: Pick<Target, 'field' | 'hasConditions'> = {},
): Target => ({
  collection: `${apiVersion === 'v1' ? '' : apiVersion.split('/')[0]}/${plural}`,
  path: inDefault(apiVersion, plural),
  ...more,
});

const inSpec = (name: string, value: JsonObject[string]): NonNullable<Target['field']> => [
  { spec: { [name]: value } },
  { spec: { [name]: null } },
];

const grove = 'grove.io/v1alpha1';
const rights = 'rbac.authorization.k8s.io/v1';

/** All that the controller writes in a namespace, and the bindings, which have none. */
const targets: readonly Target[] = [
  target(grove, 'podcliquesets', { hasConditions: true }),
  target(grove, 'podcliques', { hasConditions: true }),
  target(grove, 'podcliquescalinggroups', { hasConditions: true }),
  target('scheduler.grove.io/v1alpha1', 'podgangs', {
    field: inSpec('reuseReservationRef', { namespace, name: 'reserved' }),
    hasConditions: true,
  }),
  target('v1', 'pods'),
  target('v1', 'services', {
    field: [
      { spec: { sessionAffinity: 'ClientIP' } },
      { spec: { sessionAffinity: 'None', sessionAffinityConfig: null } },
    ],
  }),
  target('v1', 'serviceaccounts', {
    // Of no effect on pods, as `imagePullSecrets` would have.
    field: [{ secrets: [{ name: 'mounted' }] }, { secrets: null }],
  }),
  target('v1', 'secrets', { field: [{ data: { theirs: 'eA==' } }, { data: { theirs: null } }] }),
  target(rights, 'roles'),
  target(rights, 'rolebindings'),
  target('autoscaling/v2', 'horizontalpodautoscalers', {
    field: inSpec('behavior', { scaleDown: { stabilizationWindowSeconds: 60 } }),
  }),
  target('resource.k8s.io/v1', 'resourceclaims'),
  target('resource.nvidia.com/v1beta1', 'computedomains'),
  target('scheduling.run.ai/v2alpha2', 'podgroups', { field: inSpec('schedulingBackoff', 7) }),
  {
    collection: 'grove.io/clustertopologybindings',
    path: `/apis/${grove}/clustertopologybindings`,
    hasConditions: true,
  },
];

const hold = 'foreign/hold';
const gate = 'foreign/quota';
const owners = inDefault('v1', 'configmaps');
const mostGateMs = 15_000;

interface StrangersOptions {
  readonly store: Store;
  readonly random: Random;
  readonly clock: Clock;
  readonly ask: (request: KubeRequest) => Promise<KubeResponse>;
}

export class Strangers {
  readonly #options: StrangersOptions;
  #isAtWork = false;
  /** Objects with a field of theirs, by path. */
  readonly #fields = new Map<string, { readonly uid: string; readonly unset: JsonObject }>();

  constructor(options: StrangersOptions) {
    this.#options = options;
  }

  /** One of them does something to some object. */
  async act(): Promise<void> {
    this.#isAtWork = true;
    const { random } = this.#options;
    const there = targets.filter(({ collection }) => this.#all(collection).length > 0);
    const chosen = pick(random, there);
    const object = chosen && pick(random, this.#all(chosen.collection));
    if (chosen === undefined || object === undefined) return;
    const path = `${chosen.path}/${nameOf(object)}`;
    const way = random.next();
    const plural = chosen.collection.split('/').at(-1) ?? '';
    const mark = { [`foreign/${plural}-${between(random, 1, 3)}`]: 'x' };
    if (way < 0.25) return this.#merge(path, { metadata: { labels: mark } });
    if (way < 0.5) return this.#merge(path, { metadata: { annotations: mark } });
    if (way < 0.65) return this.#own(path, object);
    if (way < 0.75) return this.#hold(path, object);
    if (way < 0.9 && chosen.field !== undefined) return this.#fill(path, object, chosen.field);
    if (chosen.hasConditions === true) return this.#judge(path, object);
  }

  /** As a mutating webhook: some pods of a run get a gate, which is taken off some time later. */
  admit(request: KubeRequest): KubeRequest {
    const { method, path, body } = request;
    const { random, clock } = this.#options;
    if (!this.#isAtWork || method !== 'POST' || !path.endsWith(`${namespace}/pods`)) return request;
    const others = listAt(body, 'spec', 'schedulingGates');
    if (random.next() > (others.length > 0 ? 0.7 : 0.15)) return request;
    const gates = [...others, { name: gate }];
    const spec = { ...fieldsAt(body, 'spec'), schedulingGates: gates };
    const name = textAt(body, 'metadata', 'name');
    clock.at(clock.now() + between(random, 500, mostGateMs), () => void this.#open(name));
    return { ...request, body: { ...fieldsAt(body), spec } };
  }

  /** What stands in the way of the expected end goes, labels and annotations stay. */
  async makePeace(): Promise<void> {
    if (!this.#isAtWork) return;
    const owner = `${owners}/${strangersOwner}`;
    if (this.#all('/configmaps').some((each) => nameOf(each) === strangersOwner)) {
      await this.#options.ask({ method: 'DELETE', path: owner });
    }
    for (const { collection, path } of targets) {
      for (const object of this.#all(collection)) {
        if (collection === '/pods') await this.#open(nameOf(object));
        else await this.#letGo(`${path}/${nameOf(object)}`, object);
      }
    }
    for (const [path, { unset }] of this.#fields) await this.#merge(path, unset);
    this.#fields.clear();
  }

  async #own(path: string, object: Stored): Promise<void> {
    const metadata = { name: strangersOwner };
    const made = await this.#options.ask({ method: 'POST', path: owners, body: { metadata } });
    const there = this.#options.store.collection('/configmaps').get(namespace, strangersOwner);
    const uid = made.status < 300 ? uidOf(made.body) : uidOf(there);
    const others = listAt(object, 'metadata', 'ownerReferences');
    if (others.some((owner) => textAt(owner, 'name') === strangersOwner)) return;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: strangersOwner, uid };
    await this.#change(path, object, { ownerReferences: [...others, owner] });
  }

  /** Pods are held by the user. */
  async #hold(path: string, object: Stored): Promise<void> {
    const finalizers = listAt(object, 'metadata', 'finalizers');
    if (object['kind'] === 'Pod' || finalizers.includes(hold)) return;
    await this.#change(path, object, { finalizers: [...finalizers, hold] });
  }

  async #letGo(path: string, object: Stored): Promise<void> {
    const finalizers = listAt(object, 'metadata', 'finalizers');
    if (!finalizers.includes(hold)) return;
    await this.#change(path, object, { finalizers: finalizers.filter((name) => name !== hold) });
    if (object.kind === 'Secret') await this.#lookAfter(nameOf(object));
  }

  /** Nobody sees a Secret go, so whoever held one asks for a look at its set. */
  async #lookAfter(secret: string): Promise<void> {
    const annotations = { 'grove.io/reconcile-trigger': 'let go' };
    const set = secret.replace(/-ic-sat$/, '');
    await this.#merge(`${inDefault(grove, 'podcliquesets')}/${set}`, {
      metadata: { annotations },
    });
  }

  async #fill(
    path: string,
    object: Stored,
    [set, unset]: NonNullable<Target['field']>,
  ): Promise<void> {
    this.#fields.set(path, { uid: uidOf(object), unset });
    await this.#merge(path, set);
  }

  async #judge(path: string, object: Stored): Promise<void> {
    const type = 'foreign/Checked';
    const rows = listAt(object, 'status', 'conditions');
    if (rows.some((row) => textAt(row, 'type') === type)) return;
    const { clock } = this.#options;
    const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const row = { type, status: 'True', reason: 'Checked', message: '', lastTransitionTime };
    await this.#merge(`${path}/status`, {
      metadata: { resourceVersion: at(object, 'metadata', 'resourceVersion') },
      status: { conditions: [...rows, row] },
    });
  }

  async #open(name: string): Promise<void> {
    const pod = this.#options.store.collection('/pods').get(namespace, name);
    const gates = listAt(pod, 'spec', 'schedulingGates');
    const schedulingGates = gates.filter((row) => textAt(row, 'name') !== gate);
    if (pod === undefined || schedulingGates.length === gates.length) return;
    await this.#merge(`${inDefault('v1', 'pods')}/${name}`, {
      metadata: { resourceVersion: at(pod, 'metadata', 'resourceVersion') },
      spec: { schedulingGates },
    });
  }

  /** Of a list, so of the version that it was made from. */
  #change(path: string, { metadata }: Stored, change: object): Promise<void> {
    return this.#merge(path, {
      metadata: { resourceVersion: metadata['resourceVersion'], ...change },
    });
  }

  #all(collection: string): readonly Stored[] {
    return this.#options.store.collection(collection).list();
  }

  async #merge(path: string, body: object): Promise<void> {
    const contentType = 'application/merge-patch+json';
    await this.#options.ask({ method: 'PATCH', path, contentType, body });
  }
}
