// The witnesses of a run: one per wire of each process, and what has to be asked of several at
// once: how many pods a PodClique may have for any process that lives. Part of world.ts.
import type { Clock } from '#actors/ports.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { Decisions } from './decisions.ts';
import type { Oracles } from './oracles.ts';
import { Owning } from './owning.ts';
import { ReportedAnswers } from './reported-answers.ts';
import { mostWanted, Shown } from './shown.ts';
import { TakeOvers } from './take-overs.ts';
import type { Tally } from './tally.ts';
import type { Terminations } from './terminations.ts';
import { Waits } from './waits.ts';
import { Witness } from './witness.ts';

export interface WitnessParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly oracles: Oracles;
  readonly terminations: Pick<Terminations, 'mayDelete'>;
  /** Undefined: the only process owns all of them. */
  readonly shards: number | undefined;
  readonly moment: () => number;
  readonly isMisled: () => boolean;
  /** Messages between actors are lost. */
  readonly isDeaf: boolean;
  /** Where a process may take longer over its news than one on a virtual clock. */
  readonly digestMs?: number;
}

export class Witnesses {
  readonly #parts: WitnessParts;
  /** What each process was shown on its wires, by its life. */
  readonly #shown = new Map<number, Shown[]>();
  /** How often each process has lost what it knew without dying, by its life. */
  readonly #losses = new Map<number, number>();

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** This process has given up shards: their actors are gone, though it may have them again at
   *  once, without a change of hands. */
  lost(life: number): void {
    this.#losses.set(life, (this.#losses.get(life) ?? 0) + 1);
  }

  /** One more, for a wire of this life. */
  call(life: number): Witness {
    const { store, clock, tally, oracles, shards, isMisled, isDeaf } = this.#parts;
    const moment = (): number => this.#parts.moment() + (this.#losses.get(life) ?? 0);
    const violate = (what: string): void => oracles.violate(what);
    const shown = new Shown(clock, this.#parts.digestMs);
    this.#shown.set(life, [...(this.#shown.get(life) ?? []), shown]);
    const told = new ReportedAnswers({ store, violate, isMisled });
    const { decided, deletesPod } = oracles;
    const mayTerminate = (clique: Stored): boolean => this.#parts.terminations.mayDelete(clique);
    const decisions = new Decisions({
      life,
      shown,
      tally,
      moment,
      violate,
      decided,
      deletesPod,
      mayTerminate,
      isDeaf,
    });
    const waits = new Waits({ life, shown, tally, isDeaf, violate });
    const allOf = (): readonly Shown[] => this.#shown.get(life) ?? [];
    const judges = { shown, told, decisions, waits };
    if (shards === undefined) return new Witness(judges);
    const sharing = { life, store, tally, violate, shards, shown: allOf };
    const [owning, takeOvers] = [new Owning(sharing), new TakeOvers(sharing)];
    return new Witness({ ...judges, owning, takeOvers });
  }

  /** Forgets the processes that are no more. */
  mostWanted(clique: string, alive: Iterable<{ readonly life: number }>): number {
    const lives = new Set([...alive].map(({ life }) => life));
    for (const life of this.#shown.keys()) if (!lives.has(life)) this.#shown.delete(life);
    const all = [...this.#shown.values()].flat();
    return Math.max(0, ...all.map((shown) => mostWanted(shown, clique) ?? 0));
  }
}
