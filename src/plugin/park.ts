// `kubectl coppice park` and `unpark`: the commands of the same name (docs/questions.md), with the
// right to patch the object.
import { actorId } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { timeoutIn } from './format.ts';
import { keyIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { dataOf, withController } from './reach/controller.ts';
import { userName } from './reach/identity.ts';
import type { Session } from './session.ts';

/** Those of `unpark` are the same. */
type Flags = FlagsOf<'park'>;

export async function park(
  session: Session,
  flags: Flags,
  words: readonly string[],
): Promise<void> {
  const { id } = await command('park', session, flags, words);
  session.output.line(`${id} parked`);
}

export async function unpark(
  session: Session,
  flags: Flags,
  words: readonly string[],
): Promise<void> {
  const { id, answer } = await command('unpark', session, flags, words);
  session.output.line(`${id} ${answer['wasParked'] === true ? 'unparked' : 'was not parked'}`);
}

interface Obeyed {
  readonly id: string;
  readonly answer: JsonObject;
}

/** With the reason that the Event gives. */
function command(
  question: 'park' | 'unpark',
  session: Session,
  flags: Flags,
  words: readonly string[],
): Promise<Obeyed> {
  const key = keyIn(words, session.namespace);
  return withController(session, flags, timeoutIn(flags.timeout), async ({ ask, identity }) => {
    const said = flags.reason ?? `${question}ed with kubectl coppice ${question}`;
    // The controller takes the token's account for the user.
    const user = identity.isBorrowed ? await userName(session.transport) : '';
    const reason = user === '' ? said : `${said} (${user})`;
    return { id: actorId(key), answer: dataOf(await ask(key, question, { reason })) };
  });
}
