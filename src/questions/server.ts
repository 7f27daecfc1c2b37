// The HTTPS server that answers questions about actors to whoever may ask them: by the token of the
// request, for each question anew. Started by start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Ask, HandOn } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { encodeAnswer } from '#bus/codec.ts';
import { actorId } from '#machines/contract/address.ts';
import { isCommand } from '#machines/contract/question.ts';
import type { ServerLimits } from '#src/http/limits.ts';
import { type SecureServer, serveSecurely } from '#src/http/secure.ts';
import { headersOf } from '#src/http/server.ts';
import type { Issued } from '#src/tls/authority.ts';
import { closeTimeoutMs, questionLimits, questionsAtOnce } from './limits.ts';
import { type Question, readQuestion, type Reply, replyOf } from './question.ts';
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
  const { status, answer, allow } = await replyTo(serving, request);
  const body = encodeAnswer(answer);
  response.writeHead(status, {
    ...headersOf(status, 'application/json', body.length),
    ...(allow === undefined ? {} : { allow }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  });
  response.end(body);
}

async function replyTo(serving: Serving, request: IncomingMessage): Promise<Reply> {
  const question = readQuestion(request, serving.questions);
  if (!question.ok) return question.reply;
  if (serving.underWay >= questionsAtOnce) {
    const message = `${questionsAtOnce} questions are being answered already`;
    return replyOf(refusal('THROTTLED', message));
  }
  serving.underWay++;
  try {
    return replyOf(await answerTo(serving, question.value));
  } catch (error) {
    serving.onError(error);
    return replyOf(refusal('ASSERTION', 'internal error, see the log'));
  } finally {
    serving.underWay--;
  }
}

async function answerTo(serving: Serving, question: Question): Promise<Answer> {
  const { ask, token } = question;
  const verdict = await serving.review(question);
  if (!verdict.ok) return verdict.answer;
  if (isCommand(ask.question)) {
    const { user } = verdict;
    serving.onCommand({ question: ask.question, about: actorId(ask.about), user });
  }
  return serving.ask(ask, serving.handOn(token));
}
