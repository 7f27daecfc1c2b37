// The observer: a process of its own that watches one namespace and notes the moment at which a
// claim holds. Its own connection and its own bookkeeping; what is measured has no part in it.
// Started by process.ts with kubeconfig and namespace; ends when its starter does.
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { conditionOf, Onlooker, type Sight } from '#src/bench/onlooker.ts';
import { type Claim, type Counts, holds, machineMs, type Notice, readOrder } from './claims.ts';
import { updatedImage } from './claims.ts';

const [file = '', namespace = ''] = process.argv.slice(2);
const connection = await loadConnection({ file }, systemClock);
const onlooker = new Onlooker(httpTransport(connection, { userAgent: 'coppice-bench-observer' }));

/** Names; kept as they come, since counting them anew at each event would be quadratic. */
const initialized = new Set<string>();
const running = new Set<string>();
const bound = new Set<string>();
const updatedPods = new Set<string>();
const updatedSets = new Set<string>();
const available = new Map<string, number>();
const updated = new Map<string, number>();
const waiting = new Map<number, Claim>();

const tell = (notice: Notice): void => void process.send?.(notice);

function counts(): Counts {
  const alive = (resource: Parameters<Onlooker['all']>[0]): number =>
    onlooker.all(resource, namespace).size;
  return {
    podsEver: onlooker.podsEver(namespace),
    podsAlive: alive('pods'),
    podsBound: bound.size,
    podsReady: onlooker.readyPods(namespace),
    podsUpdated: updatedPods.size,
    podcliquesAlive: alive('podcliques'),
    podgangsAlive: alive('podgangs'),
    podgangsInitialized: initialized.size,
    podgangsRunning: running.size,
    servicesAlive: alive('services'),
    setsAlive: alive('podcliquesets'),
    replicasAvailable: sumOf(available),
    replicasUpdated: sumOf(updated),
    setsUpdated: updatedSets.size,
  };
}

const sumOf = (counted: ReadonlyMap<string, number>): number =>
  [...counted.values()].reduce((sum, one) => sum + one, 0);

/** Keeps the name as long as it is so. */
function keep(names: Set<string>, name: string, isSo: boolean): void {
  if (isSo) names.add(name);
  else names.delete(name);
}

function take(sight: Sight): void {
  if (sight.namespace !== namespace) return;
  const { resource, type, name, object } = sight;
  const isGone = type === 'DELETED';
  if (resource === 'pods') {
    if (!isGone && at(object, 'spec', 'nodeName') !== undefined) bound.add(name);
    else bound.delete(name);
  }
  if (resource === 'podgangs') {
    keep(initialized, name, !isGone && conditionOf(object, 'Initialized') === 'True');
    keep(running, name, !isGone && at(object, 'status', 'phase') === 'Running');
  }
  if (resource === 'pods') {
    const isReady = !isGone && conditionOf(object, 'Ready') === 'True';
    const [main] = list(at(object, 'spec', 'containers'));
    keep(updatedPods, name, isReady && text(at(main, 'image')) === updatedImage);
  }
  if (resource === 'podcliquesets') {
    const status = isGone ? undefined : at(object, 'status');
    available.set(name, count(at(status, 'availableReplicas')) ?? 0);
    updated.set(name, count(at(status, 'updatedReplicas')) ?? 0);
    keep(updatedSets, name, at(status, 'updateProgress', 'updateEndedAt') !== undefined);
  }
  if (waiting.size === 0) return;
  const now = counts();
  for (const [id, claim] of waiting) judge(id, claim, now);
}

function judge(id: number, claim: Claim, now: Counts): void {
  if (!holds(claim, now)) return;
  waiting.delete(id);
  tell({ notice: 'met', id, atMs: machineMs() });
}

onlooker.onSight(take);
process.on('message', (message) => {
  const order = readOrder(message);
  if (order?.order === 'count') tell({ notice: 'counted', id: order.id, counts: counts() });
  if (order?.order !== 'await') return;
  waiting.set(order.id, order.claim);
  judge(order.id, order.claim, counts());
});
process.on('disconnect', () => process.exit());
await onlooker.synced;
tell({ notice: 'synced' });
