// What becomes of gangs that lose pods, are updated or disrupted, on the real control plane: side
// by side, since they mostly wait. Which scenario is which of spec controllers 10.3 is said by its
// title.
import { afterAll, beforeAll, test, type TestContext } from 'vitest';
import { describeReal } from '../real/stage.ts';
import { drained, preempted, unattended } from './scenarios/disruptions.ts';
import {
  lostClique,
  lostPod,
  lostReplica,
  neverPlaced,
  stillUnplaced,
} from './scenarios/terminations.ts';
import {
  onDelete,
  podByPod,
  replicaByReplica,
  scaledIn,
  scaledOut,
  withoutRoom,
} from './scenarios/updates.ts';
import { realCluster } from './stage/real.ts';
import { Scene, type Scenario } from './stage/scene.ts';

const sideBySide = [
  lostPod,
  lostClique,
  lostReplica,
  neverPlaced,
  stillUnplaced,
  podByPod,
  replicaByReplica,
  withoutRoom,
  scaledIn,
  scaledOut,
  onDelete,
  drained,
  preempted,
];
/** Ends the controller, which others need meanwhile. */
const alone = [unattended];

describeReal('On the real control plane', (stageNow) => {
  let cluster: Awaited<ReturnType<typeof realCluster>> | undefined;

  beforeAll(async () => {
    cluster = await realCluster(stageNow());
    await cluster.startController();
  });
  afterAll(() => cluster?.end());

  const play =
    ({ name, run }: Scenario) =>
    async ({ onTestFinished }: TestContext): Promise<void> => {
      if (cluster === undefined) throw new Error('the cluster has not been reached');
      const scene = new Scene(cluster, await stageNow().namespace(`e2e-gangs-${name}`));
      // After a failure's evidence is taken.
      onTestFinished(() => scene.end(), 180_000);
      await run(scene);
    };
  for (const scenario of sideBySide) test.concurrent(scenario.title, play(scenario));
  for (const scenario of alone) test(scenario.title, play(scenario));
});
