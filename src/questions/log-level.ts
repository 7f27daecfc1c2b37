// The log level of this process as a question: `GET /log-level`, and `PUT /log-level?level=debug`
// for whoever may `put` that path. Each process has its own. Answered by server.ts.
import type { IncomingMessage } from 'node:http';
import { refusal } from '#bus/answers.ts';
import type { Log } from '#src/log/log.ts';
import { type Level, levels } from '#src/log/shares.ts';
import { bearerOf, noToken, type Reply, replyOf } from './question.ts';
import type { Review } from './review.ts';

export const logLevelPath = '/log-level';

interface Wanted {
  readonly token: string;
  /** Absent: it is only asked for. */
  readonly level?: Level;
}

type Read =
  | { readonly ok: true; readonly value: Wanted }
  | { readonly ok: false; readonly reply: Reply };

/** Undefined: the request is about something else. */
export function readLogLevel(request: IncomingMessage): Read | undefined {
  const { method = '', url = '/', headers } = request;
  const target = URL.parse(url, 'https://server');
  if (target?.pathname !== logLevelPath) return undefined;
  if (method !== 'GET' && method !== 'PUT') {
    const reply = malformed(`${method} is not allowed here, only GET and PUT`);
    return { ok: false, reply: { ...reply, status: 405, allow: 'GET, PUT' } };
  }
  const named = target.searchParams.get('level') ?? '';
  const level = levels.find((known) => known === named);
  if (method === 'PUT' && level === undefined) {
    const right = `it must be one of ${levels.join(', ')}`;
    return { ok: false, reply: malformed(`level "${named.slice(0, 20)}" is wrong, ${right}`) };
  }
  if (method === 'GET' && target.search !== '') {
    return { ok: false, reply: malformed('GET takes no parameters; PUT changes the level') };
  }
  const token = bearerOf(headers);
  if (token === undefined) return { ok: false, reply: replyOf(noToken) };
  return { ok: true, value: { token, ...(method === 'PUT' && level !== undefined && { level }) } };
}

const malformed = (message: string): Reply => replyOf(refusal('MALFORMED', message));

/** Changes it where that is wanted, in the name of whoever asks, and says what it is and was. */
export async function answerLogLevel(
  { token, level }: Wanted,
  { review, log }: { readonly review: Review; readonly log: Pick<Log, 'level' | 'setLevel'> },
): Promise<Reply> {
  const verdict = await review.path(token, {
    path: logLevelPath,
    verb: level === undefined ? 'get' : 'put',
  });
  if (!verdict.ok) return replyOf(verdict.answer);
  if (level === undefined) return replyOf({ ok: true, data: { level: log.level() } });
  const was = log.level();
  log.setLevel(level, verdict.user);
  return replyOf({ ok: true, data: { level, was } });
}
