// Warm pools under bursts and kills, on the embedded cluster: `npm run test:long`.
import { killed, shared, undisturbed, wiped } from './scenarios/bursts.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeWarmPools } from './stage/describe.ts';

const size = { claims: 300, members: 310, perSecond: 30 };

describeWarmPools('the embedded cluster', embeddedCluster, [
  undisturbed(size),
  killed(size),
  wiped(size),
  shared(size),
]);
