// `kubectl coppice park` and `unpark`: the commands of the same name (docs/questions.md), with the
// right to patch the object.
import { actorId } from '#machines/contract/address.ts';
import { timeoutIn } from './format.ts';
import { keyIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { dataOf, reachController } from './reach/controller.ts';
import { userName } from './reach/identity.ts';
import type { Session } from './session.ts';

export async function park(
  session: Session,
  flags: FlagsOf<'park'>,
  words: readonly string[],
): Promise<void> {
  const key = keyIn(words, session.namespace);
  const timeoutMs = timeoutIn(flags.timeout);
  const controller = await reachController(session, flags, timeoutMs);
  try {
    const said = flags.reason ?? 'parked with kubectl coppice park';
    // The controller takes the token's account for the user.
    const user = controller.identity.isBorrowed ? await userName(session.transport) : '';
    const reason = user === '' ? said : `${said} (${user})`;
    dataOf(await controller.ask(key, 'park', { reason }));
    session.output.line(`${actorId(key)} parked`);
  } finally {
    await controller.close();
  }
}

export async function unpark(
  session: Session,
  flags: FlagsOf<'unpark'>,
  words: readonly string[],
): Promise<void> {
  const key = keyIn(words, session.namespace);
  const timeoutMs = timeoutIn(flags.timeout);
  const controller = await reachController(session, flags, timeoutMs);
  try {
    const { wasParked } = dataOf(await controller.ask(key, 'unpark'));
    session.output.line(`${actorId(key)} ${wasParked === true ? 'unparked' : 'was not parked'}`);
  } finally {
    await controller.close();
  }
}
