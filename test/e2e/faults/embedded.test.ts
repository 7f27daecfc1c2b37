// The scenarios of the fault kit that are over soon, on the embedded cluster.
import { brokenBytes } from './scenarios/broken-bytes.ts';
import { countedErrors } from './scenarios/counted.ts';
import { forgedMessages } from './scenarios/forged-messages.ts';
import { lostReplies } from './scenarios/lost-replies.ts';
import { refusals } from './scenarios/refusals.ts';
import { rotatedToken } from './scenarios/token.ts';
import { embeddedCluster } from './stage/cluster.ts';
import { describeFaults } from './stage/describe.ts';

describeFaults('the embedded cluster', embeddedCluster, [
  lostReplies,
  rotatedToken,
  brokenBytes,
  forgedMessages,
  refusals,
  countedErrors(60),
]);
