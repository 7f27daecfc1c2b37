// What the actors of some objects are doing, by a question for each;
// asked by get.ts and support-bundle.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import { actorId } from '#machines/contract/address.ts';
import { numberOf, text } from '#machines/kubernetes/json.ts';
import { pluginExitCodes } from './commands.ts';
import { exitCodeOf } from './errors.ts';
import { type Controller, reachController } from './reach/controller.ts';
import type { ControllerFlags } from './reach/find.ts';
import { asksAtOnce } from './reach/limits.ts';
import type { Session } from './session.ts';
import { stateText } from './why.ts';

/** Beyond them only a list says what actors do. */
const mostAsks = 200;
const answerMs = 15_000;

export interface ActorGlance {
  readonly state: string;
  readonly parked: boolean;
  readonly restarts: number;
  readonly mailbox: number;
}

export interface Actors {
  of(id: string): ActorGlance | undefined;
  /** Why nothing, or not all, is known. */
  readonly note?: string;
}

/** Never rejects for a controller that is away or does not know the user. */
export async function actorsOf(
  session: Session,
  flags: ControllerFlags,
  keys: readonly ActorKey[],
): Promise<Actors> {
  if (keys.length === 0) return { of: () => undefined };
  try {
    const controller = await reachController(session, flags, answerMs);
    try {
      return await askAll(controller, keys);
    } finally {
      await controller.close();
    }
  } catch (error) {
    const code = exitCodeOf(error);
    const { noController, forbidden, refused } = pluginExitCodes;
    const isExpected = [noController, forbidden, refused].some((one) => one.code === code);
    if (!isExpected || !(error instanceof Error)) throw error;
    return { of: () => undefined, note: error.message };
  }
}

async function askAll(controller: Controller, keys: readonly ActorKey[]): Promise<Actors> {
  const known = new Map<string, ActorGlance>();
  const asked = keys.slice(0, mostAsks);
  const refusals: string[] = [];
  for (let from = 0; from < asked.length; from += asksAtOnce) {
    await Promise.all(
      asked.slice(from, from + asksAtOnce).map(async (key) => {
        const answer = await controller.ask(key, 'state');
        if (!answer.ok) refusals.push(`${answer.message} (${answer.code})`);
        else known.set(actorId(key), glanceOf(answer.data));
      }),
    );
  }
  const left = keys.length - asked.length;
  const note = refusals[0] ?? (left > 0 ? `of ${left} objects: name one of them` : undefined);
  return { of: (id) => known.get(id), ...(note === undefined ? {} : { note }) };
}

function glanceOf(data: Readonly<Record<string, unknown>>): ActorGlance {
  return {
    state: data['parked'] === true ? 'parked' : stateText(data['value']) || text(data['mode']),
    parked: data['parked'] === true,
    restarts: numberOf(data['restarts']) ?? 0,
    mailbox: numberOf(data['mailbox']) ?? 0,
  };
}
