// One turn of an actor: its mail step by step, or its reconcile with what it reads, and what comes
// of it - intents to the effect runner, items to the views, deadlines, decisions. Called by the
// scheduler; a throw of the machine ends here, with the supervisor.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { Wait } from '#machines/contract/behaviour.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import type { Instruction, Intent } from '#machines/contract/intents.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { EventRecorder } from '../effects/events.ts';
import type { ActorLists } from '../effects/lists.ts';
import type { Effects } from '../effects/runner.ts';
import type { Rows } from '../history/rows.ts';
import type { Limits } from '../limits.ts';
import type { Cache } from '../mail/cache.ts';
import { noCause, type Cause, type Journal } from '../mail/causality.ts';
import type { MachineEvent, Mail } from '../mail/mailbox.ts';
import type { DataPlanes } from '../data-plane.ts';
import type { Clock, Ids, Telemetry } from '../ports.ts';
import type { Questions } from '../questions/open.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { Views } from '../views/views.ts';
import type { Wakes } from '../views/wakes.ts';
import type { Actor } from './actor.ts';
import type { ReconcileListener } from './reconciles.ts';
import type { Scheduler } from './scheduler.ts';
import type { Step, Trees } from './tree.ts';
import { isPressing } from './yielding.ts';

interface Parts {
  readonly limits: Limits;
  readonly ports: {
    clock: Clock;
    ids: Ids;
    telemetry: Telemetry;
    planes?: DataPlanes;
    reconciles?: ReconcileListener | undefined;
  };
  readonly trees: Trees;
  readonly cache: Cache;
  readonly scheduler: Scheduler;
  readonly effects: Effects;
  readonly lists: ActorLists;
  readonly recorder: EventRecorder;
  readonly journal: Journal;
  readonly supervisor: Supervisor;
  readonly views: Views<Actor>;
  readonly wakes: Wakes;
  readonly questions: Questions;
  readonly rows: Rows;
}

/** What a step is called in which the actor plans. */
const reconcile = 'reconcile';

const firstOf = (waits: readonly Wait[]): EpochMs | undefined => {
  let first: EpochMs | undefined;
  for (const { until } of waits) {
    if (until !== undefined && (first === undefined || until < first)) first = until;
  }
  return first;
};

export class ActorRunner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Delivers up to a batch of mail; true when more is left for another turn in this tick. */
  deliver(actor: Actor): boolean {
    if (actor.mode !== 'alive') return false;
    const { limits, ports, scheduler } = this.#parts;
    const { mailbox } = actor;
    const waitedSeconds = (ports.clock.steady() - mailbox.since) / 1000;
    const { controller } = actor.behaviour;
    ports.telemetry.queued({ controller, depth: scheduler.waiting(controller), waitedSeconds });
    for (let taken = 0; taken < limits.mailBatch; taken++) {
      const mail = mailbox.take();
      if (mail === undefined) return false;
      if (!this.#take(actor, mail)) return false;
    }
    return mailbox.length > 0;
  }

  /** Plans. The only step from which writes are expected. */
  reconcile(actor: Actor, cause: Cause): void {
    const { reconciles } = this.#parts.ports;
    if (reconciles === undefined) return this.#reconcile(actor, cause);
    const { lastReconcileId: before } = actor;
    reconciles.began(actor.key, actor.behaviour.controller, cause);
    this.#reconcile(actor, cause);
    const { lastReconcileId: id = '' } = actor;
    reconciles.ended(id === before ? '' : id);
  }

  #reconcile(actor: Actor, cause: Cause): void {
    const { supervisor, trees, ports } = this.#parts;
    if (actor.mode === 'parked') return supervisor.expressParked(actor, cause);
    if (actor.mode !== 'alive') return;
    if (actor.snapshot?.status !== 'active') return supervisor.end(actor, cause);
    const { clock } = ports;
    const start = clock.steady();
    if (!this.#readViews(actor, cause)) return;
    const step = trees.reconcile(actor, clock.now());
    if (step === undefined) return;
    const next = firstOf(step.waits);
    if (step.thrown === undefined) this.#wakeAt(actor, next, cause);
    this.conclude(actor, step, reconcile, cause);
    const seconds = (clock.steady() - start) / 1000;
    const { controller } = actor.behaviour;
    const result =
      step.thrown !== undefined ? 'error' : next === undefined ? 'success' : 'requeue_after';
    ports.telemetry.reconciled({ controller, seconds, result });
    this.#reapIfOver(actor, cause);
  }

  /** Before an answer about it: it says what there is to read now. */
  readonly refresh = (actor: Actor): void => {
    const before = actor.snapshot;
    if (actor.mode !== 'alive' || !this.#readViews(actor, noCause)) return;
    if (actor.snapshot !== before) this.#parts.scheduler.touch(actor, noCause, 'retry');
  };

  /** Hands over what it reads and was not handed yet; that may lead to more that it reads. False
   *  where its machine threw. */
  #readViews(actor: Actor, cause: Cause): boolean {
    const { limits, wakes, supervisor, scheduler } = this.#parts;
    try {
      let rounds = 0;
      while (rounds <= limits.viewRounds && this.#handOver(actor)) rounds++;
      if (rounds > limits.viewRounds) scheduler.touch(actor, cause, 'retry');
    } catch (error) {
      supervisor.crash(actor, error, 'view', cause);
      return false;
    }
    wakes.hasRead(actor);
    return true;
  }

  /** Throws what the machine throws; false when nothing was new. */
  #handOver(actor: Actor): boolean {
    const { trees, views } = this.#parts;
    const { snapshot, behaviour } = actor;
    if (snapshot === undefined) return false;
    const events = views.follow(actor, behaviour.reads(snapshot));
    for (const event of events) {
      const step = trees.reduce(actor, event);
      if (step?.thrown !== undefined) throw step.thrown.error;
    }
    return events.length > 0;
  }

  /** Carries out what a step came to. Public for the supervisor, who starts machines. */
  conclude(actor: Actor, step: Step, event: string, cause: Cause): void {
    const { supervisor } = this.#parts;
    if (step.thrown !== undefined) {
      return supervisor.crash(actor, step.thrown.error, event, cause);
    }
    this.#tellTransition(actor, step, event, cause);
    if (event === reconcile) actor.lastReconcileId = '';
    if (step.intents.length === 0) return;
    const reconcileId = this.#parts.ports.ids.next();
    if (event === reconcile) actor.lastReconcileId = reconcileId;
    try {
      for (const intent of step.intents) this.#carryOut(actor, intent, cause, reconcileId);
    } catch (error) {
      supervisor.crash(actor, error, event, cause);
    }
  }

  /** False when the actor can take no more mail in this turn. */
  #take(actor: Actor, mail: Mail): boolean {
    const events: readonly MachineEvent[] = mail.type === 'news' ? mail.events : [mail.event];
    // The answer to a write is looked at even where the behaviour takes no notice.
    const touches = mail.type === 'signal';
    for (const event of events) {
      const step = this.#parts.trees.reduce(actor, event);
      if (step === undefined) return false;
      if (step.changed || touches) this.#touch(actor, event, mail.cause);
      this.conclude(actor, step, event.type, mail.cause);
      if (actor.mode !== 'alive') return false;
    }
    return true;
  }

  #touch(actor: Actor, { type }: MachineEvent, cause: Cause): void {
    const { snapshot, behaviour } = actor;
    this.#parts.scheduler.touch(actor, cause, 'news', () => {
      if (snapshot === undefined || isPressing(type, cause)) return false;
      return behaviour.yields?.(snapshot) === true;
    });
  }

  #tellTransition(actor: Actor, step: Step, event: string, cause: Cause): void {
    const { before } = step;
    const after = actor.snapshot;
    if (before === undefined || after === undefined || before === after) return;
    if (isEqual(before.value, after.value)) return;
    const { journal, rows } = this.#parts;
    journal.note(actor.key, 'transition', cause, { from: before.value, to: after.value, event });
    rows.entered(actor);
  }

  #carryOut(actor: Actor, intent: Intent, cause: Cause, reconcileId: string): void {
    const { effects, lists, recorder, cache, views, questions, ports } = this.#parts;
    switch (intent.type) {
      case 'createObject':
      case 'patchObject':
      case 'deleteObject':
      case 'writeStatus':
        return effects.submit(actor, intent, cause, reconcileId);
      case 'listObjects':
        return lists.submit(actor, intent, cause);
      case 'recordEvent':
        return recorder.record(actor, intent, cache.get(intent.regarding)?.object);
      case 'publish':
        return views.publish(actor.id, intent, cause);
      case 'answer':
        return questions.answer(actor, intent.id, intent.answer);
      case 'measure':
        return ports.telemetry.measured(intent);
      case 'instruct':
        return this.#instruct(actor, intent.instruction);
      case 'decide':
        return this.#decide(actor, intent, cause);
    }
  }

  #instruct({ key }: Actor, instruction: Instruction): void {
    const plane = this.#parts.ports.planes?.get(key.kind);
    if (plane === undefined) throw new CoppiceError('ASSERTION', `${key.kind} has no data plane`);
    plane.carryOut(key, instruction);
  }

  /** The deadline stands until it passes, the next reconcile says another, or the actor crashes or
   *  ends. */
  #wakeAt(actor: Actor, at: EpochMs | undefined, cause: Cause): void {
    const { trees, ports, scheduler } = this.#parts;
    if (at === actor.wakesAt) return;
    actor.wakesAt = at;
    const deadlines = trees.deadlines(actor.shard);
    const timer = `${actor.id}\nwake`;
    if (at === undefined) return deadlines.clear(timer);
    // As a span: when the clock is set back the actor hears in time, and may ask for longer.
    deadlines.after(timer, at - ports.clock.now(), () => {
      actor.wakesAt = undefined;
      scheduler.touch(actor, cause, 'news');
    });
  }

  /** A result for the actor. A parked one is only reminded to say that it is
   *  parked. */
  signal(actor: Actor, event: MachineEvent, cause: Cause, wakesParked: boolean): void {
    const { scheduler } = this.#parts;
    if (actor.mode === 'alive') {
      actor.mailbox.signal(event, cause);
      scheduler.mail(actor);
    } else if (actor.mode === 'parked' && wakesParked) scheduler.touch(actor, cause, 'retry');
  }

  /** A question, for an actor that is alive. */
  readonly hand = (actor: Actor, event: MachineEvent, cause: Cause): void =>
    this.signal(actor, event, cause, false);

  /** What a data plane has to say, for an actor that is alive. */
  tell(to: ActorKey, event: MachineEvent): void {
    const { trees, journal } = this.#parts;
    const actor = trees.find(actorId(to));
    if (actor !== undefined) this.hand(actor, event, journal.next(noCause));
  }

  #decide(actor: Actor, { what, why }: { what: string; why: string }, cause: Cause): void {
    const { journal, limits, ports } = this.#parts;
    actor.decisions.push({ at: ports.clock.now(), what, why });
    if (actor.decisions.length > limits.decisionsKept) actor.decisions.shift();
    journal.note(actor.key, 'decided', cause, { what, why });
  }

  /** Ends an actor that says so, and one of which nothing is left in the cluster, but not before it
   *  has answered. */
  #reapIfOver(actor: Actor, cause: Cause): void {
    const { supervisor, cache, questions } = this.#parts;
    const { snapshot, behaviour, mailbox, mode } = actor;
    if (mode !== 'alive' || snapshot === undefined || mailbox.length > 0) return;
    try {
      const isDone = snapshot.status !== 'active';
      const isLeft = !cache.isAddressed(actor.id) && behaviour.isHeld?.(snapshot) !== true;
      const isOver = isDone || behaviour.isOver(snapshot) || isLeft;
      if (isOver && (isDone || !questions.isAsked(actor))) supervisor.end(actor, cause);
    } catch (error) {
      supervisor.crash(actor, error, 'isOver', cause);
    }
  }
}
