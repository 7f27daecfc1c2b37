// The HTTPS server that answers questions about actors to whoever may ask them: by the token of the
// request, for each question anew. Its certificate can be replaced while it runs. Started by
// start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Answer, Ask, HandOn } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { encodeAnswer } from '#bus/codec.ts';
import { actorId } from '#machines/contract/address.ts';
import { Connections, serverOptions } from '#src/http/connections.ts';
import type { ServerLimits } from '#src/http/limits.ts';
import { listen } from '#src/http/server.ts';
import type { Issued } from '#src/tls/authority.ts';
import { closeTimeoutMs, questionLimits, questionsAtOnce } from './limits.ts';
import { isCommand, type Question, readQuestion, type Reply, replyOf } from './question.ts';
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
  /** For tests. */
  readonly limits?: ServerLimits;
}

export interface QuestionServer {
  readonly port: number;
  /** From now on; throws where certificate and key do not belong together. */
  present(identity: Issued): void;
  /** Answers what is under way, and frees the port. */
  close(): Promise<void>;
}

interface Serving extends QuestionServerOptions {
  underWay: number;
}

/** Rejects with ListenError where the port cannot be had. */
export async function serveQuestions(options: QuestionServerOptions): Promise<QuestionServer> {
  const { host, identity, limits = questionLimits } = options;
  const { cert, key } = identity;
  const serving: Serving = { ...options, underWay: 0 };
  const secure = {
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.handshakeMs,
  } as const;
  const server = createServer(
    { ...serverOptions(limits), ...secure },
    (request, response) => void respond(serving, request, response),
  );
  const connections = new Connections(server, limits);
  // Whoever speaks no TLS, or trusts another authority, is told by the handshake.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const what = { name: 'questions', setting: 'questions.port' };
  const port = await listen(server, { host, port: options.port, ...what });
  return {
    port,
    present: (next) => server.setSecureContext({ ...next, minVersion: 'TLSv1.2' }),
    close: () => connections.drain(server, closeTimeoutMs),
  };
}

async function respond(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume(); // a body is never wanted, but must be read for the connection to go on
  const { status, answer, allow } = await replyTo(serving, request);
  const body = encodeAnswer(answer);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(allow === undefined ? {} : { allow }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 429 ? { 'retry-after': '1' } : {}),
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
  if (isCommand(ask)) {
    const { user } = verdict;
    serving.onCommand({ question: ask.question, about: actorId(ask.about), user });
  }
  return serving.ask(ask, serving.handOn(token));
}
