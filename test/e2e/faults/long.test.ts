// The scenarios of the fault kit that wait for the limits that are in production, on the embedded
// cluster: `npm run test:long`.
import { deafListeners } from './scenarios/deaf-listeners.ts';
import { halfOpenWatches } from './scenarios/half-open.ts';
import { namesakes } from './scenarios/namesakes.ts';
import { natsAway, natsTroubles } from './scenarios/nats-troubles.ts';
import { outage } from './scenarios/outage.ts';
import { unseenWrites } from './scenarios/unseen-writes.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeFaults } from './stage/describe.ts';

describeFaults('the embedded cluster', embeddedCluster, [
  halfOpenWatches,
  outage,
  unseenWrites,
  namesakes,
  natsTroubles,
  natsAway,
  deafListeners,
]);
