// A podcliqueset actor's context at any stage, for the tests of its plan: what the plan wants is
// written into facts again by way of the real routes.
import { refKey } from '#machines/contract/address.ts';
import type { Intent, PatchObject } from '#machines/contract/intents.ts';
import type { Delivery } from '#machines/contract/route.ts';
import { readGang } from '#machines/grove/objects/podgang.ts';
import type { ObservedGang } from '#machines/grove/objects/podgang.ts';
import { podCliqueSet } from '#machines/grove/podcliqueset/behaviour.ts';
import { startContext } from '#machines/grove/podcliqueset/context.ts';
import type { SetContext } from '#machines/grove/podcliqueset/context.ts';
import { reduce } from '#machines/grove/podcliqueset/reduce.ts';
import type { SetEvent } from '#machines/grove/podcliqueset/reduce.ts';
import { podGang } from '#machines/grove/podgang/behaviour.ts';
import type { GroveSettings } from '#machines/grove/settings.ts';
import { isWatched } from '#machines/kinds.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { planOf } from '#test/support/plan-of.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { routeFor } from '#test/support/world-news.ts';
import { kindOf } from '#test/support/world-store.ts';
import { settings } from '#test/support/world.ts';

const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;
export const now = Date.UTC(2026, 0, 1);

const isSetEvent = (event: Delivery['event']): event is SetEvent => event.type !== '';

/** One actor with the objects that it sees, reconciled by hand. */
export class SetBench {
  context: SetContext;
  readonly objects = new Map<string, KubeObject>();
  /** What the podgang actor made of what it was told. */
  readonly gangPatches: PatchObject[] = [];
  #uids = 0;

  constructor(more: Partial<GroveSettings> = {}) {
    this.context = startContext({ key, root: key, settings: { ...settings, ...more } });
  }

  see(body: KubeObject): void {
    const uid = body.metadata.uid ?? `uid-${++this.#uids}`;
    const { generation = 1 } = body.metadata;
    const resourceVersion = String(++this.#uids);
    const object = { ...body, metadata: { ...body.metadata, uid, generation, resourceVersion } };
    const kind = kindOf(body);
    this.objects.set(refKey({ kind, namespace: 'demo', name: body.metadata.name }), object);
    const route = routeFor(object);
    this.#deliver(route?.deliver(route.decode(object), object) ?? []);
  }

  change(kind: string, name: string, patch: JsonObject): void {
    const old = this.objects.get(`${kind}/demo/${name}`);
    const next = old === undefined ? undefined : applyPatch(old, patch);
    if (isKubeObject(next)) this.see(next);
  }

  lose(kind: string, name: string): void {
    const id = `${kind}/demo/${name}`;
    const old = this.objects.get(id);
    if (old === undefined) return;
    this.objects.delete(id);
    const route = routeFor(old);
    this.#deliver(route?.forget(route.decode(old), old) ?? []);
  }

  #deliver(deliveries: readonly Delivery[]): void {
    for (const { to, event } of deliveries) {
      if (to.kind === 'podcliqueset' && isSetEvent(event)) this.send(event);
    }
  }

  send(event: SetEvent): void {
    this.context = reduce(this.context, event);
  }

  /** Plans and remembers; nothing is written. */
  stabilize(): readonly Intent[] {
    const { intents, changes } = planOf(podCliqueSet, this.context, now);
    this.context = { ...this.context, ...changes };
    return intents;
  }

  /** Plans and writes all that is wanted. */
  work(): readonly Intent[] {
    const intents = this.stabilize();
    for (const intent of intents) this.#write(intent);
    return intents;
  }

  /** What the podgang actor does with it. */
  #publish({ view, key: place, item }: Extract<Intent, { type: 'publish' }>): void {
    const gang = this.objects.get(`PodGang/${place}`);
    const observed = gang && readGang(gang);
    if (observed === undefined || isMalformed(observed) || item === undefined) return;
    const to = { kind: 'podgang', namespace: observed.namespace, name: observed.name } as const;
    const before = podGang.start({ key: to, root: key, settings });
    const seen = podGang.reduce(before, observedEvent(observed));
    const told = podGang.reduce(seen, view.event(place, item));
    for (const intent of podGang.reconcile(told, now).intents) {
      if (intent.type !== 'patchObject') continue;
      this.gangPatches.push(intent);
      const generation = observed.generation + 1;
      this.change('PodGang', observed.name, {
        ...intent.patch,
        ...bumped(intent.patch, generation),
      });
    }
  }

  #create({ ref, body }: Extract<Intent, { type: 'createObject' }>): void {
    this.see(body);
    const uid = this.objects.get(refKey(ref))?.metadata.uid;
    if (uid !== undefined && !isWatched(ref.kind)) {
      this.send({ type: 'effect.done', op: 'create', ref, uid });
    }
  }

  #write(intent: Intent): void {
    if (intent.type === 'createObject') this.#create(intent);
    if (intent.type === 'patchObject') this.change(intent.ref.kind, intent.ref.name, intent.patch);
    if (intent.type === 'publish') this.#publish(intent);
    if (intent.type === 'deleteObject') this.lose(intent.ref.kind, intent.ref.name);
    if (intent.type === 'writeStatus') {
      const old = this.objects.get(refKey(intent.ref));
      if (old !== undefined) this.see({ ...old, status: intent.status });
    }
  }
}

const bumped = ({ metadata }: JsonObject, generation: number): JsonObject => ({
  metadata: { ...(isObject(metadata) ? metadata : {}), generation },
});

const observedEvent = (observed: ObservedGang): Delivery['event'] => {
  const event = { type: 'gang.observed', observed };
  return event;
};

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

/** The intents that change something besides the status. */
export const acts = (intents: readonly Intent[]): readonly string[] =>
  intents.flatMap((intent) => {
    if (intent.type === 'publish') {
      return intent.item === undefined ? [] : [`publish ${intent.view.name} ${intent.key}`];
    }
    const isAct = ['createObject', 'patchObject', 'deleteObject'].includes(intent.type);
    return isAct && 'ref' in intent ? [`${intent.type} ${intent.ref.kind} ${intent.ref.name}`] : [];
  });

export const twoCliques = [
  { name: 'worker' },
  { name: 'prefill-worker', replicas: 1, minAvailable: 1 },
];

/** A set of two cliques whose children are all there. */
export function deployed(replicas: number, template: JsonObject = {}): SetBench {
  const bench = new SetBench();
  bench.see(cliqueSet(replicas, twoCliques, template));
  for (let round = 0; round < 4; round++) bench.work();
  return bench;
}
