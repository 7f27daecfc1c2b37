// Every scenario of the fault kit on the real control plane: `npm run test:real -- faults`. A slow
// machine in CI leaves out some that embedded.test.ts plays.
import { amountOf, isPlayedOnce } from '#test/support/optional.mjs';
import { givenHere } from '../real/given.ts';
import { brokenBytes } from './scenarios/broken-bytes.ts';
import { countedErrors } from './scenarios/counted.ts';
import { deafListeners } from './scenarios/deaf-listeners.ts';
import { forgedMessages } from './scenarios/forged-messages.ts';
import { halfOpenWatches } from './scenarios/half-open.ts';
import { lostReplies } from './scenarios/lost-replies.ts';
import { namesakes } from './scenarios/namesakes.ts';
import { natsAway, natsTroubles } from './scenarios/nats-troubles.ts';
import { outage } from './scenarios/outage.ts';
import { refusals } from './scenarios/refusals.ts';
import { rotatedToken } from './scenarios/token.ts';
import { unseenWrites } from './scenarios/unseen-writes.ts';
import { realCluster } from './stage/cluster.ts';
import { describeFaults } from './stage/describe.ts';

const given = givenHere();
const missing = 'missing' in given ? given.missing : undefined;

/** Those that wait come first: they take the longest and need the least of the machine. */
describeFaults(
  'the real control plane',
  'missing' in given ? () => Promise.reject(new Error(given.missing)) : () => realCluster(given),
  [
    natsAway,
    halfOpenWatches,
    outage,
    unseenWrites,
    namesakes,
    natsTroubles,
    deafListeners,
    lostReplies,
    rotatedToken,
    ...(isPlayedOnce ? [] : [forgedMessages, refusals, brokenBytes]),
    countedErrors(amountOf('replicas whose refusals are counted')),
  ],
  missing,
);
