// Which kinds a process watches, and from when on: those that have actors from its start, the
// others once an actor lives here. Of two processes one often has no tree at all; it would read
// thousands of pods for nothing. Nothing reconciles before all lists are in. Used by start.ts.
import type { Clock } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import { type ActorKind, type Kind, kindRow, objectKind } from '#machines/kinds.ts';
import type { KubeClient, Reflection } from '#src/kube/client.ts';

/** For so long the lists of the other kinds may take before the process is no longer ready. */
const patienceMs = 30_000;

interface Options {
  readonly kube: Pick<KubeClient, 'reflect'>;
  readonly system: Pick<ActorSystem, 'observe' | 'served' | 'echoed' | 'onRow'> &
    Pick<ActorSystem, 'listing' | 'listed' | 'synced'>;
  readonly clock: Clock;
  readonly kinds: readonly Kind[];
  /** Those of them that wait for the first actor. */
  readonly late: readonly Kind[];
  /** As of Reflection. */
  readonly lost: (why: CoppiceError) => void;
}

export interface Watches extends Pick<Reflection, 'synced' | 'health' | 'stop' | 'suspectOutage'> {
  /** Watches the late kinds too from now on. The first actor does so. */
  readonly begin: () => void;
  /** For the probe: which lists are not in yet, and why; undefined: none is missed. */
  readonly waitsFor: () => string | undefined;
}

export function startWatches({ kube, system, clock, kinds, late, lost }: Options): Watches {
  const early = kinds.filter((kind) => !late.includes(kind));
  const reflection = kube.reflect(early, (observation) => system.observe(observation), {
    served: (kind) => system.served(kind),
    echoed: (kind, version) => system.echoed(kind, version),
    lost,
  });
  // Since when, on the steady clock, late lists are missed; Infinity: none is.
  const state = { isReady: false, missedSince: Infinity };
  let whole: Promise<void> | undefined;
  const begin = (): void => {
    if (whole !== undefined) return;
    release?.();
    system.listing();
    state.missedSince = clock.steady();
    whole = Promise.all([reflection.synced, reflection.also(late)]).then(() => {
      state.missedSince = Infinity;
      system.synced();
    });
    whole.catch(() => {});
  };
  const release = late.length === 0 ? undefined : system.onRow(begin);
  if (late.length === 0) begin();
  const synced = reflection.synced.then(async () => {
    if (whole === undefined) system.listed(late);
    await whole;
    state.isReady = true;
  });
  synced.catch(() => {});
  const isPatient = (): boolean => clock.steady() - state.missedSince < patienceMs;
  return {
    synced,
    begin,
    health: reflection.health,
    suspectOutage: reflection.suspectOutage,
    stop: () => {
      release?.();
      reflection.stop();
    },
    waitsFor: () => (state.isReady && isPatient() ? undefined : missed(reflection)),
  };
}

/** Of these kinds those that need not be watched before there is an actor of `actors`. */
export const lateKinds = (kinds: readonly Kind[], actors: Iterable<ActorKind>): readonly Kind[] => {
  const own = new Set<Kind>([...actors].map(objectKind));
  return kinds.filter((kind) => !own.has(kind) || kindRow(kind).isNeverAlone === true);
};

function missed(reflection: Reflection): string {
  const open = reflection.health().filter((row) => !row.synced);
  const names = open.map(({ kind, lastFailure }) =>
    lastFailure === null ? kind : `${kind} (${lastFailure})`,
  );
  return `waits for the first list of ${names.join(', ') || 'every kind'}`;
}
