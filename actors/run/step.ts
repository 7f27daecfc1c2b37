// One step of one actor: its behaviour is started, takes in an event, or is reconciled. A throw
// ends in the step's result, with the actor as it was before. Called by tree.ts for actors that
// have a place.
import type { AnyMachineSnapshot } from 'xstate';
import type { Wait } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { MachineEvent } from '../mail/mailbox.ts';
import type { Actor } from './actor.ts';

/** What one step of one actor came to. */
export interface Step {
  /** The snapshot is another object than before. */
  readonly changed: boolean;
  readonly before: AnyMachineSnapshot | undefined;
  /** Of a reconcile only, as are `waits`. */
  readonly intents: readonly Intent[];
  readonly waits: readonly Wait[];
  /** What the behaviour threw, boxed; the snapshot is as before then. */
  readonly thrown: { readonly error: unknown } | undefined;
}

interface Taken {
  readonly snapshot: AnyMachineSnapshot;
  readonly intents?: readonly Intent[];
  readonly waits?: readonly Wait[];
}

/** Also used to start it anew. */
export const start = (actor: Actor): Step => {
  actor.snapshot = undefined;
  const { behaviour, key, root } = actor;
  return take(actor, () => ({ snapshot: behaviour.start({ key, root }) }));
};

export const reduce = (actor: Actor, event: MachineEvent): Step =>
  step(actor, (snapshot) => ({ snapshot: actor.behaviour.reduce(snapshot, event) }));

/** `impossible` hears of a state of the chart that cannot be; absent: the step fails. */
export const reconcile = (
  actor: Actor,
  now: EpochMs,
  impossible: ((what: string) => void) | undefined,
): Step => {
  const options = impossible === undefined ? {} : { impossible };
  return step(actor, (snapshot) => actor.behaviour.reconcile(snapshot, now, options));
};

function step(actor: Actor, next: (snapshot: AnyMachineSnapshot) => Taken): Step {
  const { snapshot } = actor;
  return snapshot === undefined ? nothing : take(actor, () => next(snapshot));
}

const nothing: Step = {
  changed: false,
  before: undefined,
  intents: [],
  waits: [],
  thrown: undefined,
};

function take(actor: Actor, next: () => Taken): Step {
  const before = actor.snapshot;
  try {
    const { snapshot, intents = [], waits = [] } = next();
    actor.snapshot = snapshot;
    return { changed: snapshot !== before, before, intents, waits, thrown: undefined };
  } catch (error) {
    return { ...nothing, before, thrown: { error } };
  }
}
