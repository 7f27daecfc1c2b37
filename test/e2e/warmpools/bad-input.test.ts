// What nobody should write, on the embedded cluster.
import { goingPool, latePool, lostTemplate } from './scenarios/bad-input.ts';
import { refusedClaims } from './scenarios/refusals.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeWarmPools } from './stage/describe.ts';

describeWarmPools('the embedded cluster', embeddedCluster, [
  refusedClaims,
  goingPool,
  latePool,
  lostTemplate,
]);
