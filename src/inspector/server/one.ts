// One actor: its state, why, and history, and the commands to it. Each is a question, which the
// process that owns the actor answers, whichever was asked; there the user is reviewed again.
import type { HandOn } from '#actors/ports.ts';
import { refusal, type RefusedAnswer, statusOf } from '#bus/answers.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { errorTable, type ErrorCode } from '#machines/contract/errors.ts';
import { isActorKind, isClusterScoped, objectKind } from '#machines/kinds.ts';
import { isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { handingOn, type QuestionForm } from '#src/questions/handing-on.ts';
import { maxNameLength } from '#src/questions/limits.ts';
import type { PeerRequest } from '#src/questions/peer.ts';
import type { Call, Handle, Inspected } from './call.ts';
import { maxReasonLength } from './limits.ts';
import { malformed, numberIn, wrongParameters } from './query.ts';

/** Stands for the namespace of what has none. */
const noNamespace = '-';

const place = { least: 1, most: Number.MAX_SAFE_INTEGER };
const historyBounds = { limit: { least: 1, most: 500 }, before: place, stream: place };

type Payload = { readonly ok: true; readonly payload: JsonObject } | RefusedAnswer;

interface Shown {
  readonly question: string;
  /** On the resource, which the user must have for the object. */
  readonly verb: 'get' | 'park';
  readonly payload: (call: Call) => Payload;
}

const nothing = ({ query }: Call): Payload =>
  wrongParameters(query, []) ?? { ok: true, payload: {} };

/** What is asked about one actor, by the rest of the path. */
export const questionsOfOne = {
  '': { question: 'state', verb: 'get', payload: nothing },
  '/why': { question: 'why', verb: 'get', payload: nothing },
  '/history': { question: 'history', verb: 'get', payload: historyPayload },
  '/park': { question: 'park', verb: 'park', payload: commandPayload },
  '/unpark': { question: 'unpark', verb: 'park', payload: commandPayload },
} as const satisfies Readonly<Record<string, Shown>>;

export const askOne =
  (inspected: Inspected, { question, verb, payload: payloadOf }: Shown): Handle =>
  async (call) => {
    const about = readKey(call.named);
    if ('ok' in about) return about;
    const read = payloadOf(call);
    if (!read.ok) return read;
    const refused = await inspected.access.refusal(call.viewer, about, verb);
    if (refused !== undefined) return refused;
    if (verb !== 'get') {
      const { user } = call.viewer;
      const event = { question, about: actorId(about), user };
      inspected.process.log('info', 'a command was given over the inspector', event);
    }
    const handedOn = call.isHandedOn ? { handedOn: true as const } : {};
    const ask = { about, question, payload: read.payload, ...handedOn };
    return inspected.source.ask(ask, handOnOf(inspected, call));
  };

function readKey([kind = '', space = '', name = '']: readonly string[]): ActorKey | RefusedAnswer {
  if (!isActorKind(kind)) return malformed(`"${kind}" is no kind of actor`);
  const namespace = space === noNamespace ? '' : space;
  if (isClusterScoped(objectKind(kind)) !== (namespace === '')) {
    const right =
      namespace === '' ? 'name its namespace' : `write ${noNamespace} for its namespace`;
    return malformed(`${kind}/${space}/${name}: ${right}`);
  }
  if (Math.max(name.length, namespace.length) > maxNameLength) {
    return refusal('TOO_LARGE', `names have at most ${maxNameLength} characters`);
  }
  return { kind, namespace, name };
}

function historyPayload({ query }: Call): Payload {
  const wrong = wrongParameters(query, ['before', 'limit', 'stream']);
  if (wrong !== undefined) return wrong;
  const payload: JsonObject = {};
  for (const [name, bounds] of Object.entries(historyBounds)) {
    const number = numberIn(query, name, bounds, undefined);
    if (typeof number === 'object') return number;
    if (number !== undefined) payload[name] = number;
  }
  return { ok: true, payload };
}

/** The reason as it stands in the Event, with who gives it; and as it was given. */
function commandPayload({ query, body, viewer }: Call): Payload {
  const wrong = wrongParameters(query, []);
  if (wrong !== undefined) return wrong;
  const right = `it must be {"reason": "<1 to ${maxReasonLength} characters>"}`;
  const reason = reasonIn(body);
  if (reason === undefined) return malformed(`the body is wrong: ${right}`);
  if (reason.length > maxReasonLength) return malformed(`the reason is too long: ${right}`);
  return { ok: true, payload: { reason: `${viewer.user}: ${reason}`, given: reason } };
}

function reasonIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || Object.keys(value).some((key) => key !== 'reason')) return undefined;
    // In one line, as it is shown.
    const reason = text(value['reason']).replaceAll(/\s+/g, ' ').trim();
    return reason === '' ? undefined : reason;
  } catch {
    return undefined;
  }
}

/** Hands on as a request like the one that came, so that the owner asks for the same rights. */
const form: QuestionForm = {
  request: ({ about: { kind, namespace, name }, question, payload }) => {
    const entries = Object.entries(questionsOfOne);
    const [rest = ''] = entries.find(([, one]) => one.question === question) ?? [];
    const place = [kind, namespace === '' ? noNamespace : namespace, name];
    const path = `/api/v1/actors/${place.map(encodeURIComponent).join('/')}${rest}`;
    if (rest === '/park' || rest === '/unpark') {
      // The owner names the user itself.
      return { method: 'POST', path, body: JSON.stringify({ reason: payload['given'] ?? '' }) };
    }
    const query = Object.entries(payload).map(([key, value]) => `${key}=${String(value)}`);
    return { method: 'GET', path: query.length === 0 ? path : `${path}?${query.join('&')}` };
  },
  answer: ({ status, body }) => {
    const value = objectIn(body);
    if (value === undefined) return undefined;
    if (status === 200) return { ok: true, data: value };
    const { code, message } = value;
    return isErrorCode(code) && statusOf[code] === status
      ? refusal(code, text(message))
      : undefined;
  },
};

function objectIn(body: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorTable, code);

/** Counts what is under way for each way to other processes. */
const handOns = new WeakMap<PeerRequest, (token: string) => HandOn>();

function handOnOf({ process }: Inspected, { viewer }: Call): HandOn | undefined {
  const peer = process.peer();
  if (peer === undefined || viewer.isLocal) return undefined;
  const made = handOns.get(peer) ?? handingOn(peer, form);
  handOns.set(peer, made);
  return made(viewer.token);
}
