// Asks the actor of the clique over NATS to be let in (docs/bus.md). The connection lives only as
// long as there is something to ask; join.ts opens and closes it.
import { NoRespondersError, TimeoutError } from '@nats-io/transport-node';
import type { Clock, Random } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { decodeAnswer } from '#bus/codec.ts';
import { decodeErrorText } from '#bus/decoded.ts';
import { Link } from '#bus/nats/link.ts';
import { natsOptions } from '#bus/nats/options.ts';
import { formatSubject } from '#bus/subjects.ts';
import { encodeRecord } from '#bus/wire.ts';
import type { Answer } from '#machines/contract/question.ts';
import type { JoinBus } from './join.ts';
import type { AgentLog } from './log.ts';
import type { AgentSettings, NatsPlace } from './settings.ts';

interface NatsPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: AgentLog;
}

/** The answer comes after the commit, which a clique of many nodes may delay. */
const answerMs = 10_000;
const closeMs = 500;

/** Starts to connect at once. */
export function natsBus(place: NatsPlace, settings: AgentSettings, ports: NatsPorts): JoinBus {
  const { servers, credentials, ca } = place;
  const options = natsOptions({
    servers,
    name: `coppice-clique-agent ${settings.node}`,
    auth: credentials === undefined ? { type: 'none' } : { type: 'creds', file: credentials },
    tls: ca === undefined ? null : { caFile: ca },
    connectTimeoutMs: 1_500,
    reconnectWaitMs: 200,
    reconnectJitterMs: 200,
    history: null,
  });
  let tell = (_isUp: boolean): void => {};
  const link = new Link(options, ports, { up: () => tell(true), down: () => {}, room: () => {} });
  return {
    up: (ms) =>
      new Promise((resolve) => {
        if (link.connection !== null) return resolve(true);
        const { clock } = ports;
        const cancel = clock.at(clock.now() + ms, () => resolve(false));
        tell = (isUp) => {
          cancel();
          resolve(isUp);
        };
      }),
    ask: () => ask(link, settings),
    problem: () => link.problem ?? 'no connection',
    close: () => {
      tell(false);
      return link.close(closeMs);
    },
  };
}

async function ask(link: Link, { node, pod, clique }: AgentSettings): Promise<Answer> {
  const about = { kind: 'clique', namespace: pod.namespace, name: clique } as const;
  const subject = formatSubject({ type: 'ask', about, question: 'join' });
  const payload = encodeRecord({ node, podUid: pod.uid, ip: pod.ip });
  if (!subject.ok) return refusal('MALFORMED', decodeErrorText(subject));
  if (!payload.ok) return refusal('MALFORMED', decodeErrorText(payload));
  if (link.connection === null) return refusal('UNREACHABLE', 'the connection to NATS was lost');
  try {
    const reply = await link.connection.request(subject.value, payload.value, {
      timeout: answerMs,
    });
    const answer = decodeAnswer(reply.data);
    return answer.ok ? answer.value : refusal('MALFORMED', decodeErrorText(answer));
  } catch (error) {
    return refusal('UNREACHABLE', problemOf(error));
  }
}

function problemOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof NoRespondersError) return 'no controller serves questions';
  if (cause instanceof TimeoutError) return `no answer within ${answerMs} ms`;
  return error instanceof Error ? error.message : String(error);
}
