// What the actors of some objects are doing: by the list of the inspector where there is one, else
// by a question for each. Asked by get.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import { actorId } from '#machines/contract/address.ts';
import { at, list, numberOf, text } from '#machines/kubernetes/json.ts';
import { pluginExitCodes } from './commands.ts';
import { exitCodeOf } from './errors.ts';
import { type Controller, withController } from './reach/controller.ts';
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
    return await withController(session, flags, answerMs, (controller) => askAll(controller, keys));
  } catch (error) {
    const code = exitCodeOf(error);
    const { noController, forbidden, refused } = pluginExitCodes;
    const isExpected = [noController, forbidden, refused].some((one) => one.code === code);
    if (!isExpected || !(error instanceof Error)) throw error;
    return { of: () => undefined, note: error.message };
  }
}

async function askAll(controller: Controller, keys: readonly ActorKey[]): Promise<Actors> {
  const listed = keys.length > 1 ? await controller.get(listPath(keys)) : undefined;
  if (listed !== undefined) {
    const rows = readRows(at(listed, 'rows'));
    return { of: (id) => rows.get(id) };
  }
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

/** Of one namespace where they are all in it; of other kinds nothing is asked. */
function listPath(keys: readonly ActorKey[]): string {
  const [first] = keys;
  const isOne = (field: 'kind' | 'namespace'): boolean =>
    keys.every((key) => key[field] === first?.[field]);
  const query = new URLSearchParams({
    ...(isOne('namespace') && first?.namespace ? { namespace: first.namespace } : {}),
    ...(isOne('kind') && first !== undefined ? { kind: first.kind } : {}),
  });
  return `/api/v1/actors?${query.toString()}`;
}

/** Columns of a page (src/inspector/protocol.ts), as whoever sends them may be of another
 *  version. */
function readRows(rows: unknown): ReadonlyMap<string, ActorGlance> {
  const column = (name: string): readonly unknown[] => list(at(rows, name));
  const tableOf = (name: string): readonly unknown[] => list(at(rows, 'tables', name));
  const [kinds, namespaces, states] = ['kind', 'namespace', 'state'].map(tableOf);
  const [kindAt, namespaceAt, stateAt] = ['kindAt', 'namespaceAt', 'stateAt'].map(column);
  const [restarts, parked, mailbox] = ['restarts', 'parked', 'mailbox'].map(column);
  const said = (table: readonly unknown[] = [], index: unknown): string =>
    text(table[numberOf(index) ?? -1]);
  return new Map(
    column('name').map((name, row) => {
      const isParked = parked?.[row] === 1;
      const state = said(states, stateAt?.[row]);
      const id = [said(kinds, kindAt?.[row]), said(namespaces, namespaceAt?.[row]), text(name)];
      const glance: ActorGlance = {
        state: isParked ? 'parked' : stateText(parsed(state)),
        parked: isParked,
        restarts: numberOf(restarts?.[row]) ?? 0,
        mailbox: numberOf(mailbox?.[row]) ?? 0,
      };
      return [id.join('/'), glance];
    }),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function glanceOf(data: Readonly<Record<string, unknown>>): ActorGlance {
  return {
    state: data['parked'] === true ? 'parked' : stateText(data['value']) || text(data['mode']),
    parked: data['parked'] === true,
    restarts: numberOf(data['restarts']) ?? 0,
    mailbox: numberOf(data['mailbox']) ?? 0,
  };
}
