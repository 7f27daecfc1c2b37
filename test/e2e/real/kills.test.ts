// The controller killed with SIGKILL at thirty points of everything that a PodCliqueSet goes
// through on the real control plane. A point is the n-th change that a watch sees of the objects,
// n drawn from a seed: `COPPICE_SEED=n` repeats a run.
import { expect, onTestFailed, test } from 'vitest';
import { at, text } from '#machines/kubernetes/json.ts';
import { systemRandom } from '#src/time/clock.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import { amountOf } from '#test/support/optional.mjs';
import type { Program } from '#test/support/program.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { tally } from './audit.ts';
import { manifest, pairs, podsOf } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const seed = Number(process.env['COPPICE_SEED'] ?? Math.floor(systemRandom.next() * 2 ** 31));
const random = seeded(seed);

const name = 'hit';
const few = 10;
const many = 20;
const rest = 4;
/** Changes of one replica that comes up: of its Service, PodClique, PodGang and two pods; and of
 *  one that goes. */
const changesUp = 14;
const changesDown = 8;

const points = (count: number, changes: number): readonly number[] =>
  Array.from({ length: count }, () => Math.floor(random.next() * changes)).toSorted(
    (a, b) => a - b,
  );

/** Six kills each. */
const count = amountOf('rounds of kills on the real control plane');
const rounds = Array.from({ length: count }, (_, index) => ({
  here: `e2e-kills-${index + 1}`,
  create: points(2, few * changesUp),
  scaleOut: points(2, (many - few) * changesUp),
  scaleIn: points(1, (many - rest) * changesDown),
  remove: points(1, rest * changesDown),
}));

const tell = (round: (typeof rounds)[number]): string => JSON.stringify(round);

describeReal('A controller that is killed again and again', (stageAt) => {
  const title = 'makes no pod too many and comes to the same end: $here';
  test.for(rounds)(title, { timeout: 600_000 }, async (round) => {
    const stage = stageAt();
    onTestFailed(() => stage.say(`COPPICE_SEED=${seed} repeats the kills: ${tell(round)}`));
    const here = await stage.namespace(round.here);
    const onlooker = new Onlooker(stage.transport);
    await onlooker.synced;
    const killer = new Killer(stage, onlooker, here);
    try {
      await killer.start();
      const wanted = pairs(name, few);
      const scaleTo = (replicas: number) => stage.kube.scale(here, 'podcliquesets', name, replicas);

      killer.podsAllowed = podsOf(wanted);
      await killer.during(round.create, () =>
        stage.kube.create(here, 'podcliquesets', manifest(wanted)),
      );
      await stage.ready(here, wanted);
      expect(onlooker.podsEver(here), 'pods ever created').toBe(2 * few);

      killer.podsAllowed = 2 * many;
      await killer.during(round.scaleOut, () => scaleTo(many));
      await stage.ready(here, { ...wanted, replicas: many });
      expect(onlooker.podsEver(here), 'pods ever created').toBe(2 * many);

      await killer.during(round.scaleIn, () => scaleTo(rest));
      await stage.ready(here, { ...wanted, replicas: rest });

      killer.podsAllowed = 2 * rest;
      await killer.during(round.remove, () => stage.kube.delete(here, 'podcliquesets', name));
      await stage.empty(here);
      expect(onlooker.podsEver(here), 'pods ever created').toBe(2 * many);
      expect(killer.excesses).toEqual([]);
      // A create whose reply was lost is repeated and finds its own object.
      const conflicts = Object.keys(tally(stage.audit.writes(here))).filter(
        (what) => what.endsWith(' 409') && !what.startsWith('create '),
      );
      expect(conflicts).toEqual([]);
    } finally {
      onlooker.stop();
      await killer.stop();
    }
  });
});

/** Kills the controller at given changes in a namespace, starts it again each time, and notes when
 *  there was a pod too many. */
class Killer {
  readonly #stage: Stage;
  readonly #onlooker: Onlooker;
  readonly #here: string;
  readonly #excesses = new Set<string>();
  readonly #unlook: () => void;
  #controller: Program | undefined;
  /** Most pods that may live, those that are being deleted not counted. */
  podsAllowed = 0;

  constructor(stage: Stage, onlooker: Onlooker, here: string) {
    this.#stage = stage;
    this.#onlooker = onlooker;
    this.#here = here;
    this.#unlook = onlooker.onSight(({ namespace, resource }) => {
      if (namespace === here && resource === 'pods') this.#count();
    });
  }

  /** What was seen of pods too many, and of two of one index. */
  get excesses(): readonly string[] {
    return [...this.#excesses];
  }

  async start(): Promise<void> {
    this.#controller = await this.#stage.controller();
  }

  /** Acts, and kills at the changes seen since then; at those that never come, because it was done
   *  with less, once nothing has changed for a while. */
  async during(changes: readonly number[], act: () => Promise<unknown>): Promise<void> {
    let seen = 0;
    const unlook = this.#onlooker.onSight(({ namespace }) => {
      if (namespace === this.#here) seen++;
    });
    try {
      await act();
      for (const change of changes) {
        await this.#reached(() => seen, change);
        await this.#controller?.kill();
        await this.start();
      }
    } finally {
      unlook();
    }
  }

  async stop(): Promise<void> {
    this.#unlook();
    await this.#controller?.kill();
  }

  #reached(seen: () => number, change: number): Promise<void> {
    const quietMs = 1000;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        unlook();
        resolve();
      };
      const unlook = this.#onlooker.onSight(() => {
        if (seen() >= change) return done();
        timer.refresh();
      });
      const timer = setTimeout(done, quietMs);
      if (seen() >= change) done();
    });
  }

  #count(): void {
    const byIndex = new Set<string>();
    let alive = 0;
    for (const pod of this.#onlooker.all('pods', this.#here).values()) {
      if (at(pod, 'metadata', 'deletionTimestamp') !== undefined) continue;
      alive++;
      const index = text(at(pod, 'metadata', 'labels', 'grove.io/podclique-pod-index'));
      const place = `${text(at(pod, 'metadata', 'labels', 'grove.io/podclique'))}/${index}`;
      if (byIndex.has(place)) this.#excesses.add(`two pods of ${place}`);
      byIndex.add(place);
    }
    if (alive > this.podsAllowed) this.#excesses.add(`${alive} pods, ${this.podsAllowed} wanted`);
  }
}
