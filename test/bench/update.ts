// The update benchmark: a PodCliqueSet is deployed, its template changed, and the rolling update
// measured from that change until the set says that it is over and all pods are new and ready.
// floor-update.ts does the same with a script.
import type { Harness } from './harness.ts';
import { conflicts, events, writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { usageKeys } from './usage.ts';
import { deploy, settledAt, update, updatedAt } from './workload.ts';
import type { World } from './world.ts';

export async function runUpdate(
  world: World,
  harness: Harness,
  { replicas }: { readonly replicas: number },
): Promise<Result> {
  const { client, observer } = world;
  const controller = await world.startController();
  await harness.phase('deploy', () => deploy(client, replicas), {
    available_s: { ...settledAt(replicas), replicasAvailable: { is: replicas } },
  });
  const before = (await observer.counts()).podsEver;
  const { milestones, requests, usages } = await harness.phase('update', () => update(client), {
    update_s: updatedAt(replicas),
  });
  const { podsEver } = await observer.counts();
  await controller.stop();
  return {
    replicas,
    ...milestones,
    writes: writes(requests),
    events: events(requests),
    conflicts: conflicts(requests),
    pods_created: podsEver - before,
    ...usageKeys(usages),
    requests,
  };
}
