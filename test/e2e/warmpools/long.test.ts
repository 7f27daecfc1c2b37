// Warm pools under bursts, kills and the worst of bad input, on the embedded cluster: `npm run
// test:long`.
import { huge, longest } from './scenarios/bad-input.ts';
import { killed, shared, undisturbed, wiped } from './scenarios/bursts.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeWarmPools } from './stage/describe.ts';

const size = { claims: 300, members: 310, perSecond: 30 };

describeWarmPools('the embedded cluster', embeddedCluster, [
  undisturbed(size),
  killed(size),
  wiped(size),
  shared(size),
  longest,
  huge,
]);
