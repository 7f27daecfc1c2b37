// The lives of claims, pools and Sandboxes on the embedded cluster.
import { converted } from './scenarios/converted.ts';
import { cold, deleted, expiring, suspended, withKubectl } from './scenarios/lives.ts';
import { scraped } from './scenarios/metrics.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeWarmPools } from './stage/describe.ts';

describeWarmPools('the embedded cluster', embeddedCluster, [
  withKubectl,
  suspended,
  expiring,
  deleted,
  cold,
  scraped,
  converted,
]);
