// A question may reach any process that shares the shards. The one that runs the actor answers;
// another one hands the question on to the owner of the shard, once, and says who that is when no
// answer comes. One that starts an actor goes where that would run. In the name of whoever asks
// where that is possible, else over the bus. Made by system.ts.
import { actorId } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import {
  commonQuestions,
  isCommand,
  isOfBehaviour,
  type Question,
} from '#machines/contract/question.ts';
import type { Limits } from '../limits.ts';
import type { Cache } from '../mail/cache.ts';
import type { Answer, Ask, BusPort, HandOn, ShardLease } from '../ports.ts';
import type { Ownership } from '../shards/ownership.ts';
import type { Answers } from './answers.ts';

/** What every actor answers, and what those of some kinds do besides. */
export const questionsOf = (behaviours: readonly Behaviour[]): ReadonlyMap<string, Question> =>
  new Map<string, Question>([
    ...Object.entries(commonQuestions),
    ...behaviours.flatMap(({ questions }) => [...questions]),
  ]);

const forbidden: Answer = {
  ok: false,
  code: 'FORBIDDEN',
  message: 'commands are off over the bus; bus.commands turns them on',
};

type Answering = (ask: Ask) => Promise<Answer>;

/** Whoever may publish may ask, but give commands only where these are on. */
export const overBus =
  (answer: Answering, hasCommands = false): Answering =>
  (ask) =>
    !hasCommands && isCommand(ask.question) ? Promise.resolve(forbidden) : answer(ask);

/** The owner answers out of its memory, so a late answer is a lost one. */
const handedOnMs = 2_000;
/** More than a behaviour has for its answer: it says itself that its time is over. */
const graceMs = 1_000;

interface Parts {
  readonly answers: Answers;
  readonly cache: Cache;
  readonly ownership: Ownership;
  readonly lease: ShardLease;
  readonly bus: BusPort | undefined;
  readonly limits: Pick<Limits, 'answerMs'>;
}

/** Never rejects. */
export async function answerAsk(parts: Parts, ask: Ask, handOn?: HandOn): Promise<Answer> {
  const { answers, cache, ownership } = parts;
  const known = cache.rootOf(actorId(ask.about));
  const root = known ?? (answers.mayRunAlone(ask) ? ask.about : undefined);
  if (root === undefined || ownership.isHere(root)) return answers.answer(ask);
  return elsewhere(parts, ask, ownership.shardOf(root), handOn);
}

async function elsewhere(
  { lease, bus, limits }: Parts,
  ask: Ask,
  shard: number,
  handOn: HandOn | undefined,
): Promise<Answer> {
  const holder = lease.holder?.(shard) ?? '';
  const address = lease.address?.(shard);
  const owner = holder === '' ? 'nobody owns: its Lease is not renewed' : `${holder} owns`;
  const where = `${actorId(ask.about)} belongs to shard ${shard}, which ${owner}`;
  if (ask.handedOn === true) return { ok: false, code: 'NOT_OWNER', message: where };
  const waitMs = isOfBehaviour(ask.question) ? limits.answerMs + graceMs : handedOnMs;
  const answer =
    handOn !== undefined && address !== undefined
      ? await handOn({ holder, address }, ask, waitMs)
      : await bus?.askOwner?.(shard, ask, waitMs);
  if (answer === undefined) return { ok: false, code: 'NOT_OWNER', message: where };
  if (answer.ok || answer.code !== 'UNREACHABLE') return answer;
  return { ok: false, code: 'NOT_OWNER', message: `${where}: ${answer.message}` };
}
