// A question as an HTTPS request: `GET /why?kind=podclique&namespace=default&name=demo-0-worker`
// with a bearer token, and `POST` for `park`, `unpark` and what actors of a kind answer besides.
// The payload is in the query, field by field, or as JSON for what actors of a kind answer besides.
// Read by server.ts and written by handing-on.ts, one the inverse of the other.
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Ask } from '#actors/ports.ts';
import { refusal, statusOf } from '#bus/answers.ts';
import { decodePayload } from '#bus/codec.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { commonPayload, isCommand, isOfBehaviour, questions } from '#machines/contract/question.ts';
import { isActorKind, isClusterScoped, objectKind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { maxNameLength } from './limits.ts';
import { handedOnHeader } from './peer.ts';

export interface Question {
  readonly ask: Ask;
  readonly token: string;
}

/** An answer with its HTTP status. */
export interface Reply {
  readonly status: number;
  readonly answer: Answer;
  /** The method that is allowed, where another one was used. */
  readonly allow?: string;
}

export const replyOf = (answer: Answer): Reply => ({
  status: answer.ok ? 200 : statusOf[answer.code],
  answer,
});

export const methodOf = ({ question }: Ask): 'GET' | 'POST' =>
  isCommand(question) ? 'POST' : 'GET';

/** Path and query. */
export function pathOf({ about: { kind, namespace, name }, question, payload }: Ask): string {
  const fields = Object.keys(commonPayload(question)?.properties ?? {});
  const query = new URLSearchParams({
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(isOfBehaviour(question) ? { payload: JSON.stringify(payload) } : {}),
  });
  for (const field of fields) {
    const value = payload[field];
    if (typeof value === 'string' || typeof value === 'number') query.set(field, `${value}`);
  }
  return `/${question}?${query.toString()}`;
}

/** The token of a request; undefined: none is sent, or not as it has to be. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];

export const noToken: Answer = refusal('UNAUTHORIZED', 'a bearer token is needed');

interface Request {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

type Read =
  | { readonly ok: true; readonly value: Question }
  | { readonly ok: false; readonly reply: Reply };

const malformed = (message: string, more: Partial<Reply> = {}): Read => ({
  ok: false,
  reply: { ...replyOf(refusal('MALFORMED', message)), ...more },
});

/** `more`: what behaviours answer besides. */
export function readQuestion({ method, url, headers }: Request, more: readonly string[]): Read {
  const target = URL.parse(url ?? '/', 'https://server');
  const all = [...questions, ...more];
  const question = all.find((name) => target?.pathname === `/${name}`);
  if (target === null || question === undefined) {
    const paths = all.map((name) => `/${name}`).join(' ');
    return malformed(`nothing at ${target?.pathname ?? 'this address'}; there is ${paths}`, {
      status: 404,
    });
  }
  const about = readKey(target.searchParams, parametersOf(question));
  if (typeof about === 'string') return malformed(about);
  const payload = payloadIn(question, target.searchParams);
  if (payload === undefined) return malformed('payload is not a JSON object');
  const ask: Ask = {
    about,
    question,
    payload,
    ...(headers[handedOnHeader] === undefined ? {} : { handedOn: true }),
  };
  const allow = methodOf(ask);
  if (method !== allow) {
    return malformed(`${method} is not allowed here, only ${allow}`, { status: 405, allow });
  }
  const token = bearerOf(headers);
  if (token === undefined) return { ok: false, reply: replyOf(noToken) };
  return { ok: true, value: { ask, token } };
}

const parameters: readonly string[] = ['kind', 'namespace', 'name'];

/** That it takes besides the key, if any. */
function parametersOf(question: string): readonly string[] {
  const common = commonPayload(question);
  return common === undefined ? ['payload'] : Object.keys(common.properties);
}

function payloadIn(question: string, query: URLSearchParams): JsonObject | undefined {
  const common = commonPayload(question);
  if (common === undefined) {
    const read = decodePayload(new TextEncoder().encode(query.get('payload') ?? '{}'));
    return read.ok ? read.value : undefined;
  }
  const payload: JsonObject = {};
  for (const [field, { type }] of Object.entries(common.properties)) {
    const value = query.get(field);
    if (value === null) continue;
    // What is no number stays a text, and whoever answers says what would be right.
    payload[field] = type === 'integer' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  }
  return payload;
}

/** A text says what is wrong. */
function readKey(query: URLSearchParams, more: readonly string[]): ActorKey | string {
  const known = [...parameters, ...more];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return `no parameter "${unknown}"; there is ${known.join(', ')}`;
  const twice = known.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return `${twice} is given twice`;
  const [kind = '', namespace = '', name = ''] = parameters.map((each) => query.get(each) ?? '');
  if (!isActorKind(kind)) return `"${kind}" is no kind of actor`;
  if (name === '') return 'name is missing';
  const isGlobal = isClusterScoped(objectKind(kind));
  if (isGlobal !== (namespace === '')) {
    return isGlobal ? `a ${kind} has no namespace` : 'namespace is missing';
  }
  if (Math.max(name.length, namespace.length) > maxNameLength) {
    return `names have at most ${maxNameLength} characters`;
  }
  return { kind, namespace, name };
}
