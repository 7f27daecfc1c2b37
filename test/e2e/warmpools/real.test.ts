// Every scenario of warm pools on the real control plane: `npm run test:real -- warmpools`. A slow
// machine in CI leaves out some that embedded.test.ts and bad-input.test.ts play.
import { amountOf, isPlayedOnce } from '#test/support/optional.mjs';
import { givenHere } from '../real/given.ts';
import { goingPool, huge, latePool, longest, lostTemplate } from './scenarios/bad-input.ts';
import { killed, shared, undisturbed, wiped } from './scenarios/bursts.ts';
import { converted } from './scenarios/converted.ts';
import { cold, deleted, expiring, suspended, withKubectl } from './scenarios/lives.ts';
import { scraped } from './scenarios/metrics.ts';
import { quotaOfPods, quotaOfSandboxes } from './scenarios/quotas.ts';
import { refusedClaims } from './scenarios/refusals.ts';
import { realCluster } from './stage/cluster.ts';
import { describeWarmPools } from './stage/describe.ts';

const given = givenHere();
const missing = 'missing' in given ? given.missing : undefined;
const claims = amountOf('claims in a burst on the real control plane');
/** Within ten seconds. */
const size = { claims, members: claims + 10, perSecond: claims / 10 };

const lives = [suspended, expiring, deleted, cold, scraped];
const badInput = [refusedClaims, goingPool, latePool, lostTemplate];
const alsoEmbedded = [...lives, ...badInput];

describeWarmPools(
  'the real control plane',
  'missing' in given ? () => Promise.reject(new Error(given.missing)) : () => realCluster(given),
  [
    ...(isPlayedOnce ? [] : alsoEmbedded),
    ...[withKubectl, converted, quotaOfSandboxes, quotaOfPods, longest],
    ...[undisturbed(size), killed(size), wiped(size), shared(size), huge],
  ],
  missing,
);
