// Members that are missing are asked for, as many at once as the refill policy allows (spec
// agent-sandbox 2.3.6).
import { isPauseOver } from '../../../contract/backoff.ts';
import type { CreateObject } from '../../../contract/intents.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import { buildMember, memberName } from '../../objects/member.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import type { ObservedTemplate } from '../../objects/template.ts';
import { isAssigned } from '../assigning/assigning.ts';
import type { PoolContext, Query, Step } from '../context.ts';
import { deficit, isGivingWay, surplus } from '../population.ts';
import { granted, heldBy, longestPauseMs, noRefill, type Refill } from '../refill.ts';

const { repeated: none } = noRefill;

/** Creates of another controller that may be on their way were the last ones that it asked for. */
const mostOnTheirWay = 32;

/** Creates in flight while claims are served. */
const trickle = 2;
/** Members that may be starting at once while others end in StartError: so many their node's D-Bus
 *  serves. */
export const carefulStarts = 10;

export const createMembers: Step = (context, pool, now) => {
  const { template, settings } = context;
  const { replenishDelayMs: delayMs, maxRefillRate } = settings.warmPool;
  if (template === undefined) return idle;
  const again = repeatedIn({ ...context, refill: numbered(context) }, pool);
  const { counts } = context;
  const level = counts.active + again.refill.creating.size;
  const hold = heldBy(again.refill, { level, wanted: pool.replicas, delayMs }, now);
  const pausedUntil = pauseOf({ ...again.refill, ...hold }, now);
  const asked = pausedUntil === undefined ? roomOf({ ...context, refill: again.refill }, pool) : 0;
  const { grant, bucket, until } =
    asked === 0
      ? { grant: 0, bucket: again.refill.bucket, until: undefined }
      : granted(again.refill.bucket, asked, maxRefillRate, now);
  const chosen = chooseNumbers({ ...context, refill: again.refill }, pool, grant);
  const numbers = [...again.numbers, ...chosen.numbers];
  let { askedAt } = chosen.refill;
  for (const ordinal of numbers) askedAt = askedAt.set(memberName(pool, ordinal), now);
  const refill = { ...chosen.refill, ...hold, level: level + grant, bucket, askedAt };
  const intents = numbers.map((ordinal) => creationOf(context, pool, template, ordinal));
  return {
    intents,
    changes: {
      ...(isSame(context.refill, refill) ? {} : { refill }),
      ...(context.ordinals.size > 0 && { ordinals: new Set() }),
    },
    waits: [pausedUntil, until].flatMap((time) => (time === undefined ? [] : [{ until: time }])),
  };
};

function isSame(before: Refill, now: Refill): boolean {
  const old: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(now).every(([field, value]) => old[field] === value);
}

/** After a failure, or since members were taken. */
function pauseOf({ pausedUntil, heldUntil }: Refill, now: EpochMs): EpochMs | undefined {
  const isPaused = pausedUntil !== undefined && !isPauseOver(pausedUntil, now, longestPauseMs);
  const ends = Math.max(heldUntil ?? now, isPaused ? pausedUntil : now);
  return ends > now ? ends : undefined;
}

/** How many more may be asked for now. */
export const roomOf: Query<number> = (context, pool) => {
  const { refill, settings, counts, startErrors } = context;
  const { maxBatchSize } = settings.warmPool;
  const most = Math.min(refill.window, maxBatchSize, isGivingWay(context) ? trickle : Infinity);
  const starting = counts.active - counts.ready + refill.creating.size;
  const careful =
    startErrors === undefined ? Infinity : carefulStarts + startErrors.pods - starting;
  return Math.max(0, Math.min(deficit(context, pool), most - refill.creating.size, careful));
};

/** What the runtime has dropped is said again, unless fewer are wanted by now, or one that may be
 *  there already is to be asked for in its place. */
function repeatedIn(context: PoolContext, pool: ObservedPool) {
  const { refill } = context;
  const numbers: number[] = [];
  if (refill.repeated.size === 0) return { refill, numbers };
  let { creating, spare } = refill;
  let tooMany = surplus(context, pool);
  for (const [name] of refill.repeated.entries()) {
    const ordinal = creating.get(name);
    if (ordinal === undefined) continue;
    if (tooMany-- > 0) {
      creating = creating.delete(name);
      spare = [ordinal, ...spare];
    } else numbers.push(ordinal);
  }
  return { refill: { ...refill, creating, spare, repeated: none }, numbers };
}

/** After a start the numbers below the highest that are not in use come first, from the highest
 *  down: those that another controller has asked for last may be on their way. */
function numbered({ refill, ordinals }: PoolContext): Refill {
  if (refill.next !== undefined) return refill;
  const next = [...ordinals].reduce((highest, one) => Math.max(highest, one), -1) + 1;
  const spare: number[] = [];
  for (let one = next - 1; one >= Math.max(0, next - mostOnTheirWay); one--) {
    if (!ordinals.has(one)) spare.push(one);
  }
  return { ...refill, next, spare };
}

/** Spare numbers, then those that nobody ever had. A user may have given a Sandbox their name. */
function chooseNumbers(context: PoolContext, pool: ObservedPool, many: number) {
  const { refill, members } = context;
  if (many === 0) return { refill, numbers: [] };
  const spare = unsureFirst(refill);
  const numbers = spare.slice(0, many);
  let { next = 0 } = refill;
  let { creating } = refill;
  for (const ordinal of numbers) creating = creating.set(memberName(pool, ordinal), ordinal);
  while (numbers.length < many) {
    const ordinal = next++;
    const name = memberName(pool, ordinal);
    if (members.has(name) || creating.has(name) || isAssigned(context, name)) continue;
    numbers.push(ordinal);
    creating = creating.set(name, ordinal);
  }
  return { refill: { ...refill, creating, next, spare: spare.slice(many) }, numbers };
}

/** What was refused is surely not there. Of the others one may be: were it asked for later, and
 *  fewer members missing by then, it would be one too many. */
function unsureFirst({ spare, unsure }: Refill): readonly number[] {
  const doubtful = new Set(unsure);
  return spare.toSorted((one, other) => Number(doubtful.has(other)) - Number(doubtful.has(one)));
}

function creationOf(
  { settings, counts }: PoolContext,
  pool: ObservedPool,
  template: ObservedTemplate,
  ordinal: number,
): CreateObject {
  const { namespace } = pool;
  return {
    type: 'createObject',
    ref: { kind: 'Sandbox', namespace, name: memberName(pool, ordinal) },
    reason: `${counts.active} of ${pool.replicas} members are there`,
    ...(counts.ready > 0 && { urgency: 'behind' }),
    body: buildMember(pool, template, ordinal, settings.warmPool),
  };
}
