// The steps of the pool's actor that serve claims: who has arrived finds a place, members are given
// out first come, first served, and what is due is said. What was said stands until it is seen to
// be done, or the runtime asks for it again: no reconcile looks at all claims.
import { PersistentMap } from '../../../contract/persistent-map.ts';
import { isPauseOver } from '../../../contract/backoff.ts';
import type { Reading } from '../../../contract/view.ts';
import { keyIn } from '../../../contract/view.ts';
import type { Intent } from '../../../contract/intents.ts';
import type { Wait } from '../../../contract/behaviour.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import type { StepResult } from '../../../statechart/step.ts';
import { isExpired } from '../../binding/expiry.ts';
import { errorOfClaim } from '../../binding/metadata.ts';
import { isStale } from '../../objects/blueprint.ts';
import { isCold, needsOwnSandbox } from '../../objects/claim.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import { hasPoolLabels } from '../../objects/sandbox.ts';
import { assignmentFailure, sandboxesOfClaim } from '../../views/claims.ts';
import { sandboxByName } from '../../views/objects.ts';
import type { WarmQueue } from '../queue/queue.ts';
import { isOfNamesake, maxInHand, patienceMs } from './assigning.ts';
import type { Assigning, AssigningContext, Assignment, Phase, Waiting } from './assigning.ts';
import { assignmentOf, clearingOf, takeOverOf } from './express.ts';
import { change, withAssignment, withoutClaim, type WithMember } from './places.ts';
import { searchId } from './reduce.ts';

/** Claims that are decided in one reconcile; the rest comes at once in the next. */
const maxDecided = 500;

/** Of claims that are new, what they control; of Sandboxes that are assigned and no members, what
 *  became of them. */
export const assigningReads = ({ key, assigning }: AssigningContext): readonly Reading[] => [
  ...assigning.arrived.values().map(({ claim }) => ({ view: sandboxesOfClaim, key: claim.uid })),
  ...assigning.looking.entries().flatMap(([name]): Reading[] => {
    const sandbox = assigning.assignments.get(name)?.sandbox;
    return sandbox === undefined ? [] : [{ view: sandboxByName, key: keyIn(key, sandbox) }];
  }),
];

export function servingBy<C extends AssigningContext>(withMember: WithMember<C>) {
  const assign = (context: C, one: Waiting, sandbox: string): C => {
    const sandboxUid = context.members.get(sandbox)?.uid;
    const asked = { ...one, sandbox, sandboxUid, phase: 'asked', isFailing: false } as const;
    return withAssignment(context, asked, withMember);
  };
  const forget = (context: C, name: string): C => withoutClaim(context, name, withMember);
  const parts = { assign, forget };
  return {
    /** In all states of a pool that is there. */
    serveClaims: (context: C, pool: ObservedPool, now: EpochMs): StepResult<C> => {
      const placed = inOrder(context.assigning).reduce(
        (next, one) => place(next, { ...one, seenAt: one.seenAt ?? now }, parts),
        context,
      );
      const decided = decide(placed, pool, now, parts);
      const said = sayDue(decided.context, withMember, now);
      const told = tell(said.context);
      const intents = [...said.intents, ...search(said.context), ...told.intents];
      return { intents, changes: changesOf(context, told.context), waits: decided.waits };
    },
    /** Without its object only what was begun is finished. */
    finishClaims: (context: C): StepResult<C> => {
      const said = sayDue(context, withMember, undefined);
      const told = tell(said.context);
      return {
        intents: [...said.intents, ...told.intents],
        changes: changesOf(context, told.context),
      };
    },
  };
}

/** After a start all arrive at once. */
const inOrder = ({ arrived }: Assigning): readonly Waiting[] =>
  arrived.values().toSorted((a, b) => (a.claim.createdAt ?? 0) - (b.claim.createdAt ?? 0));

interface Parts<C> {
  readonly assign: (context: C, one: Waiting, sandbox: string) => C;
  readonly forget: (context: C, name: string) => C;
}

/** All that is kept of members may differ, or nothing. */
const changesOf = <C>(before: C, after: C): Partial<C> => (before === after ? {} : after);

function place<C extends AssigningContext>(context: C, one: Waiting, parts: Parts<C>): C {
  const { claim } = one;
  const { name } = claim;
  const { assigning } = context;
  if (assigning.controlling.has(claim.uid)) return context;
  if (needsOwnSandbox(claim)) return parts.assign(context, one, name);
  return change(context, {
    arrived: assigning.arrived.delete(name),
    waiting: assigning.waiting.set(name, one),
    order: assigning.order.add({ name, nodeName: '' }),
  });
}

interface Decided<C> {
  readonly context: C;
  readonly waits: readonly Wait[];
}

/** Who came first has the first choice: where there is nothing for it there is nothing for the
 *  others (C4). */
function decide<C extends AssigningContext>(
  before: C,
  pool: ObservedPool,
  now: EpochMs,
  parts: Parts<C>,
): Decided<C> {
  let context = before;
  for (let count = 0; count < maxDecided; count++) {
    const { waiting, order, inHand } = context.assigning;
    const one = waiting.get(order.pick()?.name ?? '');
    if (one === undefined || inHand.size >= maxInHand) return { context, waits: [] };
    const { claim } = one;
    // The server's clock may be ahead, and ours may have been set back.
    const until = Math.min(claim.createdAt ?? 0, one.seenAt ?? now) + patienceMs;
    if (isExpired(claim, now)) {
      context = parts.forget(context, claim.name);
    } else if (errorOfClaim(claim, context.settings, context.template) !== undefined) {
      const next = parts.forget(context, claim.name);
      context = change(next, { refused: next.assigning.refused.set(claim.name, one) });
    } else {
      const isPatient = !isPauseOver(until, now, patienceMs) && hasMore(context);
      const sandbox =
        candidate(context, pool, context.ready) ??
        (isPatient ? undefined : (candidate(context, pool, context.unready) ?? claim.name));
      if (sandbox === undefined)
        return { context, waits: [{ until, say: () => sayMore(context) }] };
      context = parts.assign(context, one, sandbox);
    }
  }
  return { context, waits: [{ until: now }] };
}

/** Members that are not given away yet, and may be soon (G2, G4). */
const hasMore = ({ counts, assigning }: AssigningContext): boolean =>
  counts.active > assigning.inHand.size;

const sayMore = ({ counts, assigning }: AssigningContext): readonly string[] => [
  `${assigning.waiting.size} claims wait for one of ${counts.active - assigning.inHand.size} members ` +
    'to be ready',
];

/** Under Recreate none that is outdated, nor any as long as nobody knows what is (Q26, Q27). */
function candidate(
  { members, template }: AssigningContext,
  { strategy }: ObservedPool,
  queue: WarmQueue,
): string | undefined {
  const name = queue.pick()?.name;
  const member = name === undefined ? undefined : members.get(name);
  if (member === undefined || strategy !== 'Recreate') return member?.name;
  return template === undefined || isStale(member, template) ? undefined : member.name;
}

interface Said<C> {
  readonly context: C;
  readonly intents: readonly Intent[];
}

/** Once: what is dropped or overtaken on its way becomes due again. */
function sayDue<C extends AssigningContext>(
  before: C,
  withMember: WithMember<C>,
  now: EpochMs | undefined,
): Said<C> {
  const { due } = before.assigning;
  if (due.size === 0) return { context: before, intents: [] };
  let context = before;
  let later: Assigning['due'] = PersistentMap.of();
  const intents: Intent[] = [];
  for (const name of due.keys()) {
    const assignment = context.assigning.assignments.get(name);
    if (assignment === undefined) continue;
    const phase = phaseNow(context, assignment, now);
    const isFree = phase === 'stored' && !context.assigning.bySandbox.has(assignment.sandbox);
    if (phase !== assignment.phase || isFree) {
      const isFailing = assignment.isFailing && phase === assignment.phase;
      context = withAssignment(context, { ...assignment, phase, isFailing }, withMember);
    }
    const intent = intentOf(context, { ...assignment, phase });
    if (intent !== undefined) intents.push(intent);
    // Without its object the pool reads nothing, and looks when it is there.
    else if (context.pool === undefined) later = later.set(name, true);
  }
  return { context: change(context, { due: later }), intents };
}

/** Finished or cleared, as the Sandbox shows (R2, R4, R5). */
function phaseNow(
  context: AssigningContext,
  { claim, sandbox, phase }: Assignment,
  now: EpochMs | undefined,
): Phase {
  if (phase === 'asked' || phase === 'clearing') return phase;
  if (phase === 'settled' && isCold(claim)) return phase;
  const { members, assigning, pool } = context;
  const member = members.get(sandbox);
  const isOver = now !== undefined && isExpired(claim, now);
  if (member !== undefined) {
    // Names are anybody's to write: the UID proves it (S-18).
    const isIt = (claim.assignedUid ?? member.uid) === member.uid;
    const isThere = isIt && !member.deleting && hasPoolLabels(member);
    return isThere && !isOver ? 'stored' : 'clearing';
  }
  if (pool === undefined) return phase;
  const { controller } = assigning.found.get(sandbox) ?? {};
  if (isOver || controller?.uid === claim.uid) return 'settled';
  if (!assigning.found.has(sandbox)) {
    return assigning.searched.has(claim.name) ? 'clearing' : 'stored';
  }
  // The news of a member of its own is on the way.
  const isOurs = controller?.kind === 'SandboxWarmPool' && controller.name === pool.name;
  return isOurs ? 'stored' : 'clearing';
}

function intentOf(context: AssigningContext, assignment: Assignment): Intent | undefined {
  const { claim, sandbox, phase } = assignment;
  if (phase === 'asked') return assignmentOf(context.settings, assignment);
  if (phase === 'clearing') return clearingOf(assignment);
  // Of two that were promised the same one, the second is told by its owner what became of it.
  const isFirst = context.assigning.bySandbox.get(sandbox) === claim.name;
  const member = phase === 'stored' && isFirst ? context.members.get(sandbox) : undefined;
  if (member === undefined || isOfNamesake(context, member)) return undefined;
  return takeOverOf(claim, member, context.template);
}

/** Claims whose writes fail say so themselves. */
function tell<C extends AssigningContext>(context: C): Said<C> {
  const { toTell } = context.assigning;
  if (toTell.size === 0) return { context, intents: [] };
  const intents = toTell
    .entries()
    .map(([key, item]): Intent => ({ type: 'publish', view: assignmentFailure, key, item }));
  return { context: change(context, { toTell: PersistentMap.of() }), intents };
}

/** Before an assignment is taken off because nobody has seen its Sandbox. */
function search({ key, assigning }: AssigningContext): readonly Intent[] {
  const { looking, assignments, found, searched } = assigning;
  const what = { kind: 'Sandbox', labels: {}, namespaces: [key.namespace] } as const;
  return looking.keys().flatMap((name): readonly Intent[] => {
    const assignment = assignments.get(name);
    const isMissing = assignment?.phase === 'stored' && !found.has(assignment.sandbox);
    if (!isMissing || searched.has(name)) return [];
    return [{ type: 'listObjects', id: searchId(name), ...what }];
  });
}
