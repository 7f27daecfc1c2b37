// The lives of actors: started when something is first addressed to them, restarted after a crash,
// parked, un-parked, ended. What happens when is in strategy.ts; here it is carried out, for one
// actor at a time and never touching another. Called by intake.ts, runner.ts and answers.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import { normal, warning } from '#machines/contract/object-intents.ts';
import { parkedStatus } from '#machines/contract/supervision.ts';
import { kindRow, type ActorKind } from '#machines/kinds.ts';
import type { EventRecorder } from '../effects/events.ts';
import type { ActorLists } from '../effects/lists.ts';
import type { Effects } from '../effects/runner.ts';
import type { FactHistory } from '../history/history.ts';
import type { Rows } from '../history/rows.ts';
import type { Limits } from '../limits.ts';
import type { Cache } from '../mail/cache.ts';
import type { Cause, Journal } from '../mail/causality.ts';
import type { Router } from '../mail/router.ts';
import type { DataPlanes } from '../data-plane.ts';
import type { Clock, Random, ShardLease, Telemetry } from '../ports.ts';
import type { Questions } from '../questions/open.ts';
import { ActorCounts } from '../run/actor-counts.ts';
import { Actor, errorText } from '../run/actor.ts';
import type { Scheduler } from '../run/scheduler.ts';
import type { Step, Trees } from '../run/tree.ts';
import { shardOf } from '../shards/shard.ts';
import type { Views } from '../views/views.ts';
import { onCrash, type SupervisionStrategy } from './strategy.ts';

interface Parts {
  readonly behaviours: ReadonlyMap<ActorKind, Behaviour>;
  readonly strategy: SupervisionStrategy;
  readonly limits: Limits;
  readonly ports: {
    clock: Clock;
    random: Random;
    lease: ShardLease;
    telemetry: Telemetry;
    planes?: DataPlanes;
  };
  readonly trees: Trees;
  readonly cache: Cache;
  readonly router: Router;
  readonly views: Views<Actor>;
  readonly questions: Questions;
  readonly scheduler: Scheduler;
  readonly effects: Effects;
  readonly lists: ActorLists;
  readonly recorder: EventRecorder;
  readonly journal: Journal;
  readonly rows: Rows;
  readonly history: FactHistory;
  /** Carries out what a step came to (runner.ts). */
  readonly conclude: (actor: Actor, step: Step, event: string, cause: Cause) => void;
}

export class Supervisor {
  readonly #parts: Parts;
  readonly actorCounts: ActorCounts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.actorCounts = new ActorCounts(parts.ports.telemetry);
  }

  behaviourOf(kind: ActorKind): Behaviour | undefined {
    return this.#parts.behaviours.get(kind);
  }

  /** Starts the actor with all that the cache holds for it. `isFound`: it lived before, elsewhere.
   *  Undefined: no behaviour of that kind. */
  spawn(key: ActorKey, root: ActorKey, cause: Cause, isFound = false): Actor | undefined {
    const behaviour = this.behaviourOf(key.kind);
    if (behaviour === undefined) return undefined;
    const { ports, trees, rows, history } = this.#parts;
    const shard = shardOf(root, ports.lease.shards);
    const actor = new Actor({ key, root, shard }, behaviour);
    actor.isFound = isFound;
    actor.place = history.newest;
    this.actorCounts.born(actor);
    const step = trees.place(actor);
    rows.entered(actor);
    this.#begin(actor, step, cause);
    return actor;
  }

  /** The actor is over: final state, another UID under its name, or its shard went elsewhere. */
  end(actor: Actor, cause: Cause): void {
    if (actor.mode === 'ended') return;
    const { trees, journal, effects, lists, views, questions, rows, ports } = this.#parts;
    this.actorCounts.left(actor);
    actor.mode = 'ended';
    this.#clearDeadlines(actor);
    trees.remove(actor);
    views.end(actor, cause);
    questions.forget(actor, 'has ended');
    lists.forget(actor);
    effects.lift(actor);
    journal.note(actor.key, 'ended', cause, { uid: actor.uid ?? '' });
    rows.changed(actor);
    try {
      ports.planes?.get(actor.key.kind)?.ended(actor.key);
    } catch (error) {
      // It is over all the same, for all others.
      const { name, namespace } = actor.key;
      const fields = { name, namespace, error: errorText(error) };
      ports.telemetry.log('error', 'a data plane did not take the end of an actor', fields);
    }
  }

  /** The actor's machine threw while it handled `event`. */
  crash(actor: Actor, error: unknown, event: string, cause: Cause): void {
    if (actor.mode !== 'alive') return;
    const { ports, strategy, trees, journal, cache } = this.#parts;
    const verdict = onCrash(strategy, actor.crashes, ports.clock.steady(), ports.random);
    actor.crashes = verdict.crashes;
    const { controller } = actor.behaviour;
    const code = error instanceof CoppiceError ? error.code : 'ASSERTION';
    ports.telemetry.reconcileError({ controller, code });
    if (verdict.act === 'park') {
      // Of whom nothing is in the cluster nobody could un-park it by a change.
      const isNobody = !cache.isAddressed(actor.id);
      return isNobody ? this.end(actor, cause) : this.park(actor, error, cause);
    }
    actor.restarts++;
    this.#silence(actor, 'waiting');
    actor.wakesAt = ports.clock.now() + verdict.pauseMs;
    ports.telemetry.restarted({ controller, key: actor.key, error });
    const { restarts } = actor;
    const data = { error: errorText(error), during: event, restarts };
    const link = journal.note(actor.key, 'restarted', cause, data);
    trees.deadlines(actor.shard).after(`${actor.id}\nrestart`, verdict.pauseMs, () => {
      if (actor.mode === 'waiting') this.#startAnew(actor, link);
    });
  }

  /** Takes the actor out of work until a new generation, `unpark`, or the end of its object where
   *  others are addressed to it. Also by hand. */
  park(actor: Actor, error: unknown, cause: Cause): void {
    if (actor.mode === 'parked' || actor.mode === 'ended') return;
    const { ports, journal, scheduler, views } = this.#parts;
    const { restarts, generation } = actor;
    const text = errorText(error);
    actor.parking = { at: ports.clock.now(), error: text, restarts, generation };
    actor.mailbox.clear();
    this.#silence(actor, 'parked');
    // Nobody keeps it right.
    views.withdraw(actor.id, cause);
    ports.telemetry.parked({ controller: actor.behaviour.controller, key: actor.key, error });
    const data = { error: text, restarts };
    const link = journal.note(actor.key, 'parked', cause, data);
    this.#recordParked(actor, text);
    scheduler.touch(actor, link, 'news');
  }

  /** Starts a parked actor anew with a clean history; `by` says who asked. */
  unpark(actor: Actor, by: string, cause: Cause): void {
    if (actor.mode !== 'parked') return;
    const { ports, journal } = this.#parts;
    actor.parking = undefined;
    actor.crashes = [];
    actor.restarts = 0;
    ports.telemetry.unparked({ controller: actor.behaviour.controller, key: actor.key, by });
    this.#startAnew(actor, journal.note(actor.key, 'unparked', cause, { by }));
  }

  /** Says by an Event who wanted it started again, and why. */
  recordUnparked(actor: Actor, by: string): void {
    const { cache, recorder } = this.#parts;
    const own = cache.get(actor.ref);
    if (own === undefined) return;
    const note = `Reconciliation goes on: ${by}`;
    const intent = normal({ ...actor.ref, uid: own.uid }, 'ActorUnparked', note);
    recorder.record(actor, intent, own.object);
  }

  /** Instead of a reconcile, for a parked actor: its object's status has to say that it is parked,
   *  where it has one. */
  expressParked(actor: Actor, cause: Cause): void {
    const { cache, effects, ports } = this.#parts;
    const own = cache.get(actor.ref);
    const { parking, key, ref } = actor;
    const { writes } = kindRow(ref.kind);
    if (own === undefined || parking === undefined || !writes.includes('status')) return;
    try {
      const { requiredStatus, hasReady } = actor.behaviour;
      const { error, restarts, at: now } = parking;
      const info = { error, restarts, now, hasReady };
      const status = parkedStatus(requiredStatus, own.object['status'], info);
      const intent = { type: 'writeStatus', ref, uid: own.uid, status } as const;
      effects.submit(actor, { ...intent, urgency: 'now', reason: 'parked' }, cause, '');
    } catch (error) {
      ports.telemetry.log('error', 'the parked status could not be told', {
        name: key.name,
        namespace: key.namespace,
        error: errorText(error),
      });
    }
  }

  #startAnew(actor: Actor, cause: Cause): void {
    const { trees, rows } = this.#parts;
    actor.wakesAt = undefined;
    this.actorCounts.move(actor, 'alive');
    const step = trees.restart(actor);
    rows.entered(actor);
    if (step !== undefined) this.#begin(actor, step, cause);
  }

  /** After the initial transition: all objects that are delivered to it. */
  #begin(actor: Actor, step: Step, cause: Cause): void {
    const { cache, router, scheduler, conclude, views, rows } = this.#parts;
    actor.mailbox.clear();
    views.forget(actor);
    const own = cache.get(actor.ref);
    actor.uid = own?.uid;
    actor.generation = own?.object.metadata.generation;
    if (own !== undefined) rows.follow(actor, own.object);
    for (const known of cache.addressedTo(actor.key, actor.ref)) {
      const events = router.replay(known, actor.id);
      actor.mailbox.news(known.key, events, false, known.lastWrite ?? cause);
    }
    if (actor.mailbox.length > 0) scheduler.mail(actor);
    conclude(actor, step, 'start', cause);
    if (actor.mode === 'alive') scheduler.touch(actor, cause, 'retry');
  }

  #silence(actor: Actor, mode: 'waiting' | 'parked'): void {
    this.#parts.questions.forget(actor, mode === 'parked' ? 'was parked' : 'has crashed');
    this.#parts.lists.forget(actor);
    this.actorCounts.move(actor, mode);
    actor.snapshot = undefined;
    this.#clearDeadlines(actor);
    this.#parts.rows.entered(actor);
  }

  #clearDeadlines(actor: Actor): void {
    const deadlines = this.#parts.trees.deadlines(actor.shard);
    deadlines.clear(`${actor.id}\nwake`);
    deadlines.clear(`${actor.id}\nrestart`);
    actor.wakesAt = undefined;
  }

  #recordParked(actor: Actor, error: string): void {
    const { cache, recorder } = this.#parts;
    const own = cache.get(actor.ref);
    if (own === undefined) return;
    const note = `Reconciliation is suspended until the spec changes: ${error}`;
    const intent = warning({ ...actor.ref, uid: own.uid }, 'ActorParked', note);
    recorder.record(actor, intent, own.object);
  }
}
