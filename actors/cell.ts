// A cell holds up to about a hundred actors of one tree in a Map inside one xstate actor of custom
// logic. It alone runs machines: one pure transition per step, inside a try, so that a throw ends
// in the step's result and neither in the cell nor in another child. xstate's own spawn would kill
// the parent with the child and is quadratic over many children. The tree (tree.ts) opens and
// closes cells.
import { createActor } from 'xstate';
import type {
  ActorLogic,
  ActorRefFrom,
  AnyActorScope,
  AnyMachineSnapshot,
  ExecutableActionObject,
  Snapshot,
} from 'xstate';
import type { MachineSettings } from '#machines/behaviour.ts';
import { CoppiceError } from '#machines/errors.ts';
import type { Intent } from '#machines/vocabulary.ts';
import type { Actor } from './actor.ts';
import type { MachineEvent } from './mailbox.ts';

/** What one step of one actor came to. */
export interface Step {
  /** The snapshot is another object than before. */
  changed: boolean;
  before: AnyMachineSnapshot | undefined;
  intents: Intent[];
  /** What the machine threw, boxed; the snapshot is as before then. */
  thrown: { readonly error: unknown } | undefined;
}

interface CellState {
  readonly status: 'active';
  readonly output: undefined;
  readonly error: undefined;
  /** Explicit ids. Changed in place: copying a map per step would cost more than the step. */
  readonly children: Map<string, Actor>;
}

type CellEvent =
  | { readonly type: 'child.start'; readonly actor: Actor; readonly step: Step }
  | { readonly type: 'child.take'; id: string; event: MachineEvent; step: Step }
  | { readonly type: 'child.end'; readonly id: string };

interface CellInput {
  readonly settings: MachineSettings;
}

type CellLogic = ActorLogic<Snapshot<undefined> & CellState, CellEvent, CellInput>;

/** Mode-less: whether an actor may step at all (parked, waiting) is the caller's business. */
function cellLogic(settings: MachineSettings): CellLogic {
  return {
    getInitialSnapshot: () => ({
      status: 'active',
      output: undefined,
      error: undefined,
      children: new Map(),
    }),
    getPersistedSnapshot: (state) => state,
    transition: (state, event, scope) => {
      switch (event.type) {
        case 'child.start':
          state.children.set(event.actor.id, event.actor);
          run(event.actor, event.step, scope, (inert) =>
            event.actor.behaviour.machine.getInitialSnapshot(inert, {
              key: event.actor.key,
              root: event.actor.root,
              settings,
            }),
          );
          return state;
        case 'child.take':
          take(state.children.get(event.id), event.event, event.step, scope);
          return state;
        case 'child.end':
          state.children.delete(event.id);
          return state;
        default: // xstate's own stop event
          return state;
      }
    },
  };
}

function take(
  actor: Actor | undefined,
  event: MachineEvent,
  step: Step,
  scope: AnyActorScope,
): void {
  const before = actor?.snapshot;
  if (actor === undefined || before === undefined || before.status !== 'active') return;
  run(actor, step, scope, (inert) => actor.behaviour.machine.transition(before, event, inert));
}

/** An internal transition, without the chart (decision 0014); false where the chart must make the
 *  step. */
function stepInside(actor: Actor, event: MachineEvent, step: Step): boolean {
  const before = actor.snapshot;
  if (before?.status !== 'active') return false;
  step.before = before;
  try {
    const inside = actor.behaviour.internal?.(before.context, event);
    if (inside === undefined) return false;
    const { context, intents } = inside;
    step.changed = context !== before.context;
    if (step.changed) actor.snapshot = { ...before, context };
    step.intents.push(...intents);
  } catch (error) {
    step.thrown = { error };
  }
  return true;
}

/**
 * One pure step: `next` gets the cell's scope with its hands tied, so that actions are collected
 * and never executed, and a machine can neither spawn nor send nor start a timer.
 */
function run(
  actor: Actor,
  step: Step,
  scope: AnyActorScope,
  next: (inert: AnyActorScope) => AnyMachineSnapshot,
): void {
  step.before = actor.snapshot;
  const inert: AnyActorScope = {
    ...scope,
    defer: () => undefined,
    emit: () => undefined,
    stopChild: () => undefined,
    actionExecutor: (action) => {
      if (action.type === 'intend') collect(action, step.intents);
    },
  };
  try {
    const snapshot = next(inert);
    if (snapshot.status === 'error') throw snapshot.error;
    step.changed = snapshot !== actor.snapshot;
    actor.snapshot = snapshot;
  } catch (error) {
    step.thrown = { error };
    step.intents = [];
  }
}

function collect(action: ExecutableActionObject, into: Intent[]): void {
  const { params } = action;
  if (isIntent(params)) into.push(params);
  else if (Array.isArray(params) && params.every(isIntent)) into.push(...params);
  else throw new CoppiceError('ASSERTION', 'an action `intend` carries no intent in its params');
}

const intentTypes: ReadonlySet<string> = new Set<Intent['type']>([
  'createObject',
  'patchObject',
  'deleteObject',
  'writeStatus',
  'tell',
  'recordEvent',
  'wakeAt',
  'decide',
]);

function isIntent(value: unknown): value is Intent {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return typeof value.type === 'string' && intentTypes.has(value.type);
}

export class Cell {
  readonly #ref: ActorRefFrom<CellLogic>;

  constructor(id: string, settings: MachineSettings) {
    this.#ref = createActor(cellLogic(settings), { id, input: { settings } });
    this.#ref.start();
  }

  get size(): number {
    return this.#ref.getSnapshot().children.size;
  }

  actors(): Iterable<Actor> {
    return this.#ref.getSnapshot().children.values();
  }

  /** Takes the actor in and runs its machine's initial transition. Also used to start it anew. */
  start(actor: Actor): Step {
    const step = newStep();
    actor.snapshot = undefined;
    this.#ref.send({ type: 'child.start', actor, step });
    return step;
  }

  /** One event for one actor. A machine in a final state takes nothing. */
  step(actor: Actor, event: MachineEvent): Step {
    const step = newStep();
    if (stepInside(actor, event, step)) return step;
    this.#ref.send({ type: 'child.take', id: actor.id, event, step });
    return step;
  }

  end(actor: Actor): void {
    this.#ref.send({ type: 'child.end', id: actor.id });
  }

  stop(): void {
    this.#ref.stop();
  }
}

const newStep = (): Step => ({ changed: false, before: undefined, intents: [], thrown: undefined });
