// The HTTPS server that answers questions about actors to whoever may ask them, and serves metrics
// to whoever may scrape them: by the token of the request, for each anew. Started by start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Ask, HandOn } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { encodeAnswer } from '#bus/codec.ts';
import { actorId } from '#machines/contract/address.ts';
import { isCommand } from '#machines/contract/question.ts';
import type { ServerLimits } from '#src/http/limits.ts';
import { type SecureServer, serveSecurely } from '#src/http/secure.ts';
import { metricsPath } from '#src/http/routes.ts';
import { type Handler, headersOf, type Reply as Page } from '#src/http/server.ts';
import type { Issued } from '#src/tls/authority.ts';
import type { Log } from '#src/log/log.ts';
import { closeTimeoutMs, questionLimits, questionsAtOnce } from './limits.ts';
import { answerLogLevel, readLogLevel } from './log-level.ts';
import { bearerOf, noToken, type Question, readQuestion, type Reply, replyOf } from './question.ts';
import type { Review } from './review.ts';

export interface QuestionServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly identity: Issued;
  readonly review: Review;
  /** What behaviours answer besides what every actor does. */
  readonly questions: readonly string[];
  /** Answers, or has the question handed on. */
  readonly ask: (ask: Ask, handOn?: HandOn) => Promise<Answer>;
  /** With the token of whoever asks. */
  readonly handOn: (token: string) => HandOn;
  /** As on the server of plain HTTP. */
  readonly metrics: Handler;
  readonly log: Pick<Log, 'level' | 'setLevel'>;
  /** A command is about to be obeyed. */
  readonly onCommand: (event: { question: string; about: string; user: string }) => void;
  /** A bug. The client gets a 500 without details. */
  readonly onError: (error: unknown) => void;
  /** Serves what of the inspector comes here; false: the request is not for it. */
  readonly inspect?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** For tests. */
  readonly limits?: ServerLimits;
}

interface Serving extends QuestionServerOptions {
  underWay: number;
}

/** Rejects with ListenError where the port cannot be had. */
export function serveQuestions(options: QuestionServerOptions): Promise<SecureServer> {
  const { host, port, identity, limits = questionLimits } = options;
  const serving: Serving = { ...options, underWay: 0 };
  const where = { host, port, name: 'questions', setting: 'questions.port' };
  return serveSecurely({ ...where, identity, limits, closeTimeoutMs }, (request, response) =>
    respond(serving, request, response),
  );
}

async function respond(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (serving.inspect?.(request, response) === true) return;
  request.resume(); // a body is never wanted, but must be read for the connection to go on
  const reply = await replyTo(serving, request);
  const { status, type, body } = 'answer' in reply ? pageOf(reply) : reply;
  const allow = 'answer' in reply ? reply.allow : undefined;
  response.writeHead(status, {
    ...headersOf(status, type, Buffer.byteLength(body)),
    ...(allow === undefined ? {} : { allow }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  });
  response.end(body);
}

const pageOf = ({ status, answer }: Reply) => ({
  status,
  type: 'application/json',
  body: encodeAnswer(answer),
});

const isScrape = ({ method, url = '/' }: IncomingMessage): boolean =>
  method === 'GET' && URL.parse(url, 'http://server')?.pathname === metricsPath;

async function replyTo(serving: Serving, request: IncomingMessage): Promise<Reply | Page> {
  if (isScrape(request)) {
    const token = bearerOf(request.headers);
    return token === undefined ? replyOf(noToken) : bounded(serving, () => scrape(serving, token));
  }
  const level = readLogLevel(request);
  if (level !== undefined) {
    return level.ok ? bounded(serving, () => answerLogLevel(level.value, serving)) : level.reply;
  }
  const question = readQuestion(request, serving.questions);
  if (!question.ok) return question.reply;
  return bounded(serving, async () => replyOf(await answerTo(serving, question.value)));
}

async function bounded(
  serving: Serving,
  answer: () => Promise<Reply | Page>,
): Promise<Reply | Page> {
  if (serving.underWay >= questionsAtOnce) {
    const message = `${questionsAtOnce} questions are being answered already`;
    return replyOf(refusal('THROTTLED', message));
  }
  serving.underWay++;
  try {
    return await answer();
  } catch (error) {
    serving.onError(error);
    return replyOf(refusal('ASSERTION', 'internal error, see the log'));
  } finally {
    serving.underWay--;
  }
}

async function scrape({ review, metrics }: Serving, token: string): Promise<Reply | Page> {
  const verdict = await review.path(token, { path: metricsPath, verb: 'get' });
  if (!verdict.ok) return replyOf(verdict.answer);
  return metrics(new URLSearchParams(), metricsPath);
}

async function answerTo(serving: Serving, question: Question): Promise<Answer> {
  const { ask, token } = question;
  const verdict = await serving.review.question(question);
  if (!verdict.ok) return verdict.answer;
  if (isCommand(ask.question)) {
    const { user } = verdict;
    serving.onCommand({ question: ask.question, about: actorId(ask.about), user });
  }
  return serving.ask(ask, serving.handOn(token));
}
