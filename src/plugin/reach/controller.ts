// The controller as the commands ask it: questions to actors (docs/questions.md) and what the
// inspector serves (src/inspector/protocol.ts), with a token, of the first process that answers.
import type { Answer, Ask } from '#actors/ports.ts';
import { decodeAnswer } from '#bus/codec.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { isCommand } from '#machines/contract/question.ts';
import { object, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { unreachable } from '#src/kube/errors.ts';
import { methodOf, pathOf } from '#src/questions/question.ts';
import { exitOf, PluginError } from '../errors.ts';
import type { Session } from '../session.ts';
import { type ControllerFlags, findControllers, type Found } from './find.ts';
import { identityOf, type Identity, refuseUnlessAllowed } from './identity.ts';
import { type Line, openLine, type Response } from './line.ts';
import { maxAnswerBytes } from './limits.ts';

export interface Controller {
  readonly found: Found;
  readonly identity: Identity;
  readonly line: Line;
  /** Rejects with PluginError for what is no answer to a question. */
  ask(about: ActorKey, question: string, payload?: JsonObject): Promise<Answer>;
  /** JSON of a path, or undefined where the controller serves no such path. */
  get(path: string): Promise<unknown>;
  /** A response with its body still to be read. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** `timeoutMs`: for each answer. Rejects with `noController` where none can be reached, with what
 *  to do. */
export async function reachController(
  session: Session,
  flags: ControllerFlags,
  timeoutMs: number,
): Promise<Controller> {
  const [first] = await reachControllers(session, flags, { timeoutMs, most: 1 });
  if (first === undefined) throw new PluginError('noController', 'no controller answers');
  return first;
}

/** Does this with the one that is reached, and leaves it whatever comes of it. */
export async function withController<T>(
  session: Session,
  flags: ControllerFlags,
  timeoutMs: number,
  act: (controller: Controller) => Promise<T>,
): Promise<T> {
  const controller = await reachController(session, flags, timeoutMs);
  try {
    return await act(controller);
  } finally {
    await controller.close();
  }
}

/** At least one, as far as they answer: each knows its own facts alone. */
export async function reachControllers(
  session: Session,
  flags: ControllerFlags,
  { timeoutMs, most }: { readonly timeoutMs: number; readonly most: number },
): Promise<readonly Controller[]> {
  const problems: string[] = [];
  const reached: Controller[] = [];
  for (const found of await findControllers(session, flags)) {
    if (reached.length >= most) break;
    const line = openLine(found);
    const problem = await problemWith(line);
    if (problem === undefined) {
      const identity = await identityOf(session, flags.token, found.account);
      reached.push(over({ session, found, line, identity, timeoutMs }));
    } else {
      problems.push(`${found.name}: ${problem}`);
      await line.close();
    }
  }
  if (reached.length > 0) return reached;
  const hint =
    'it takes the right to get and create pods/portforward where the controller is, or --server';
  throw new PluginError('noController', `no controller answers: ${problems.join('; ')} (${hint})`);
}

/** Any answer will do: a 404 comes from a controller too. */
async function problemWith({ client }: Line): Promise<string | undefined> {
  try {
    const { body } = await client.request({ method: 'GET', path: '/' });
    await body.dump();
    return undefined;
  } catch (error) {
    return unreachable(error).message;
  }
}

interface Parts {
  readonly session: Session;
  readonly found: Found;
  readonly line: Line;
  readonly identity: Identity;
  readonly timeoutMs: number;
}

function over({ session, found, line, identity, timeoutMs }: Parts): Controller {
  const request = (
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
  ): Promise<Response> => {
    const headers = { authorization: `Bearer ${identity.token}` };
    return line.client.request({ method, path, headers, signal }).catch((error: unknown) => {
      throw lost(error, found, session.signal.aborted ? undefined : timeoutMs);
    });
  };
  const bounded = (): AbortSignal =>
    AbortSignal.any([session.signal, AbortSignal.timeout(timeoutMs)]);
  return {
    found,
    identity,
    line,
    ask: async (about, question, payload = {}) => {
      if (identity.isBorrowed) {
        const verb = isCommand(question) ? 'patch' : 'get';
        await refuseUnlessAllowed(session.transport, about, verb);
      }
      const ask: Ask = { about, question, payload };
      const response = await request(methodOf(ask), pathOf(ask), bounded());
      const bytes = await read(response);
      const answer = decodeAnswer(bytes);
      if (answer.ok) return answer.value;
      throw notOurs(found, response.statusCode);
    },
    get: async (path) => {
      const response = await request('GET', path, bounded());
      const bytes = await read(response);
      if (response.statusCode === 404 && !saysNotFound(bytes)) return undefined;
      if (response.statusCode === 200) return JSON.parse(bytes.toString('utf8'));
      throw refusedWith(response.statusCode, bytes, found);
    },
    open: async (path, signal) => {
      const response = await request('GET', path, signal);
      if (response.statusCode === 200) return response;
      throw refusedWith(response.statusCode, await read(response), found);
    },
    close: () => line.close(),
  };
}

async function read({ body }: Response): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes > maxAnswerBytes) throw new PluginError('refused', 'the answer is too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

const lost = (error: unknown, { name }: Found, timeoutMs: number | undefined): PluginError => {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  if (isLate) return new PluginError('notReady', `${name} did not answer within ${timeoutMs} ms`);
  if (error instanceof PluginError) return error;
  return new PluginError('noController', `${name}: ${unreachable(error).message}`, {
    cause: error,
  });
};

const notOurs = ({ name }: Found, status: number): PluginError =>
  new PluginError('noController', `${name} answers with ${status}, but not as Coppice does`);

function refusedWith(status: number, bytes: Buffer, found: Found): PluginError {
  try {
    const { code, message } = object(JSON.parse(bytes.toString('utf8')));
    const said = textOf(message);
    if (said === undefined) return notOurs(found, status);
    const isKnown = code === 'FORBIDDEN' || code === 'UNAUTHORIZED' || code === 'NOT_FOUND';
    return new PluginError(
      isKnown ? exitOf(code) : 'refused',
      `${said} (${textOf(code) ?? status})`,
    );
  } catch {
    return notOurs(found, status);
  }
}

/** An object that is not there, and not a path that nobody serves. */
const saysNotFound = (bytes: Buffer): boolean => bytes.includes('"NOT_FOUND"');

/** The data of an answer; rejects with what was refused. */
export function dataOf(answer: Answer): JsonObject {
  if (answer.ok) return answer.data;
  const { code, message } = answer;
  const exit = exitOf(code);
  throw new PluginError(exit === 'failed' ? 'refused' : exit, `${message} (${code})`);
}
