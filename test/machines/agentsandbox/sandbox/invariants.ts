// What holds in any history of Sandboxes, and what they have come to when nothing happens any more:
// read from the objects alone, without the actors.
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { epoch } from '#machines/kubernetes/time.ts';
import type { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { WriteIntent } from '#test/support/world-store.ts';

const isTrue = (status: unknown): boolean =>
  conditionsOf(status).some((one) => one['type'] === 'Ready' && one['status'] === 'True');

/** Nothing is deleted or taken that is somebody else's, and nothing is ready without a name. */
export function checkArrival(intent: WriteIntent, live: KubeObject | undefined): void {
  const { ref } = intent;
  if (live === undefined || (intent.type !== 'createObject' && live.metadata.uid !== intent.uid)) {
    return;
  }
  const owner = controllerOf(live);
  if (intent.type === 'deleteObject' && ref.kind !== 'Sandbox') {
    if (owner?.kind !== 'Sandbox' || owner.name !== ref.name) {
      throw new Error(`R53: ${ref.kind} ${ref.name} of ${owner?.kind ?? 'nobody'} is deleted`);
    }
  }
  const isTaken = owner !== undefined && owner.kind !== 'Sandbox';
  if (intent.type === 'patchObject' && ref.kind !== 'Sandbox' && isTaken) {
    throw new Error(`R52: ${ref.kind} ${ref.name} of ${owner.kind} is patched`);
  }
  if (intent.type !== 'writeStatus' || !isTrue(intent.status)) return;
  if (at(live, 'metadata', 'annotations', annotation.podName) === undefined) {
    throw new Error(`S4: ${ref.name} is ready and names no pod`);
  }
  if (list(intent.status['podIPs']).length === 0) {
    throw new Error(`R59: ${ref.name} is ready without an address`);
  }
}

const ownedBy = (world: AgentSandboxWorld, own: KubeObject, kind: 'Pod' | 'Service') =>
  world.store.all(kind).filter((one) => controllerOf(one)?.uid === own.metadata.uid);

/** One pod at most (R49). */
export function checkOwners(world: AgentSandboxWorld): void {
  for (const own of world.store.all('Sandbox')) {
    const pods = ownedBy(world, own, 'Pod');
    if (pods.length > 1) throw new Error(`R49: ${own.metadata.name} has ${pods.length} pods`);
  }
}

/** `Ready` and `Suspended` with their reasons, by what there is. */
export function checkEnd(world: AgentSandboxWorld): void {
  for (const own of world.store.all('Sandbox')) {
    const wanted = wantedOf(world, own);
    const said = conditionsOf(own['status'])
      .filter(({ type }) => type === 'Ready' || type === 'Finished')
      .map(({ type, status, reason }) => `${text(type)} ${text(status)} ${text(reason)}`);
    const [pods, services] = [ownedBy(world, own, 'Pod'), ownedBy(world, own, 'Service')];
    const there = [...said.toSorted(), `${pods.length} pods`, `${services.length} services`];
    if (there.join() !== wanted.join()) {
      throw new Error(`${own.metadata.name}: ${there.join()} and not ${wanted.join()}`);
    }
    checkPod(own, pods[0]);
  }
}

function checkPod(own: KubeObject, pod: KubeObject | undefined): void {
  const { name } = own.metadata;
  const ips = list(at(own, 'status', 'podIPs')).length;
  if (pod === undefined) {
    if (ips > 0) throw new Error(`${name} has addresses without a pod`);
    return;
  }
  const team = at(own, 'spec', 'podTemplate', 'metadata', 'labels', 'team');
  const { labels = {} } = pod.metadata;
  if (labels['team'] !== team || labels[label.sandboxNameHash] !== nameHash(name)) {
    throw new Error(`R57: ${name} has a pod with ${JSON.stringify(labels)}`);
  }
}

function wantedOf(world: AgentSandboxWorld, own: KubeObject): readonly string[] {
  const { name } = own.metadata;
  const shutdown = epoch(at(own, 'spec', 'shutdownTime'));
  const finished = conditionsOf(own['status']).some(({ type }) => type === 'Finished');
  if (shutdown !== undefined && shutdown <= world.now) {
    const kept = finished ? ['Finished True PodFailed'] : [];
    return [...kept, 'Ready False SandboxExpired', '0 pods', '0 services'];
  }
  const there = world.store.get('Pod', name);
  const isForeign = there !== undefined && controllerOf(there)?.uid !== own.metadata.uid;
  const mayStay = at(own, 'spec', 'service') === undefined;
  const hasService = mayStay
    ? ownedBy(world, own, 'Service').length > 0
    : at(own, 'spec', 'service');
  const services = hasService === true ? '1 services' : '0 services';
  if (at(own, 'spec', 'operatingMode') === 'Suspended') {
    return ['Ready False SandboxSuspended', '0 pods', services];
  }
  if (isForeign) return ['Ready False ReconcilerError', '0 pods', services];
  return at(there, 'status', 'phase') === 'Failed'
    ? ['Finished True PodFailed', 'Ready False PodFailed', '1 pods', services]
    : ['Ready True DependenciesReady', '1 pods', services];
}
