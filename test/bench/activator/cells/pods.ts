// B-6 to B-8: what pods cost that come and go, one by one, by snapshots and in storms; and what
// they cost in the designs that the table replaces.
import { Bitmap } from '#src/activator/table/bitmap.ts';
import { Random } from '#src/activator/table/random.ts';
import { PodTable } from '#src/activator/table/table.ts';
import type { PodTarget } from '#src/activator/table/types.ts';
import { type Body, type Cell, emptyLoop, manyOperations } from '../body.ts';
import { Dense } from '../rivals/dense.ts';
import { MapSliceFilter } from '../rivals/map-slice-filter.ts';
import { now, optionsOf, podAt, podsAt, sparse, tableOf } from '../tables.ts';

export const snapshotSizes = [100, 500, 5_000] as const;
export const churns = [0, 1, 10, 100] as const;

/** Strings of their own, as a decoder makes them. */
const decoded = (pods: readonly PodTarget[]): readonly PodTarget[] =>
  JSON.parse(JSON.stringify(pods)) as readonly PodTarget[];

/** One more pod, and away with it. */
function addAndRemove(table: PodTable): Body {
  const pods = decoded(podsAt(1_024).map((_, place) => podAt(1_000_000 + place)));
  const run = (count: number): number => {
    let added = 0;
    for (let round = 0; round < count; round++) {
      const pod = pods[round & 1_023];
      if (pod === undefined) continue;
      if (table.put(pod, now) === 'added') added += 1;
      table.remove(pod.dest, undefined, now);
    }
    return added;
  };
  return { run, empty: emptyLoop, count: 20_000 };
}

const adding = [10, 100, 500, 5_000].flatMap((pods): readonly Cell[] => [
  {
    part: 'B-6',
    name: `add and remove at ${pods}`,
    make: () => addAndRemove(tableOf(pods, 'round-robin')),
  },
  {
    part: 'B-6',
    name: `add and remove at ${pods}, 49 % holes`,
    make: () => addAndRemove(sparse(pods, Math.round(pods / 0.51), 'round-robin')),
  },
]);

/** Fills the holes of the table, from the lowest to the last one, and begins again. */
const filling = [10, 1_000, 100_000].map((slots): Cell => ({
  part: 'B-6',
  name: `fill holes of ${slots} slots, 49 % holes`,
  make: () => {
    const random = new Random(3);
    const pods = Math.round(slots * 0.51);
    const table = sparse(pods, slots, 'round-robin');
    const others = podsAt(slots - pods).map((_, place) => podAt(2_000_000 + place));
    const order = others.map((_, place) => place);
    // Holes appear in any order.
    for (let place = order.length - 1; place > 0; place--) {
      const other = random.below(place + 1);
      [order[place], order[other]] = [order[other] ?? 0, order[place] ?? 0];
    }
    let filled = 0;
    const run = (count: number): number => {
      let added = 0;
      for (let round = 0; round < count; round++) {
        const pod = others[order[filled] ?? 0];
        if (pod === undefined) continue;
        if (filled < others.length) added += Number(table.put(pod, now) === 'added');
        filled += 1;
        if (filled < others.length) continue;
        for (const { dest } of others) table.remove(dest, undefined, now);
        filled = 0;
      }
      return added;
    };
    return { run, empty: emptyLoop, count: Math.max(20_000, others.length) };
  },
}));

/** The lowest hole is filled, and the one that was filled longest ago appears again: what new pods
 *  cost without the index by address, whose memory is that of the pods. */
const finding = [10, 1_000, 100_000].map((slots): Cell => ({
  part: 'B-6',
  name: `lowest hole of ${slots} slots, 49 % holes`,
  make: () => {
    const holes = new Bitmap();
    holes.resize(slots);
    const random = new Random(3);
    for (let index = 0; index < slots; index++) if (random.below(100) < 49) holes.add(index);
    const filled = Int32Array.from({ length: Math.round(slots / 5) }, () => {
      const index = holes.first();
      holes.remove(index);
      return index;
    });
    let at = 0;
    const run = (count: number): number => {
      let sum = 0;
      for (let round = 0; round < count; round++) {
        const index = holes.first();
        holes.remove(index);
        holes.add(filled[at] ?? 0);
        filled[at] = index;
        sum += index;
        at = at + 1 === filled.length ? 0 : at + 1;
      }
      return sum;
    };
    return { run, empty: emptyLoop, count: manyOperations };
  },
}));

const addingToOld: Cell = {
  part: 'B-6',
  name: 'old design: add and remove at 100',
  make: () => {
    const old = new MapSliceFilter(new Random(1));
    old.recalculate(podsAt(100).map(({ dest }) => dest));
    const run = (count: number): number => {
      for (let round = 0; round < count; round++) {
        const { dest } = podAt(1_000_000 + (round & 1_023));
        old.add(dest);
        old.remove(dest);
      }
      return old.capacity;
    };
    return { run, empty: emptyLoop, count: 200 };
  },
};

/** Two snapshots by turns, of which each has so many percent of pods that the other one has not. */
function snapshots(pods: number, churn: number): readonly (readonly PodTarget[])[] {
  const staying = pods - Math.round((pods * churn) / 100);
  const one = podsAt(pods);
  const other = one.map((pod, place) => (place < staying ? pod : podAt(pods + place)));
  return [one, other, one, other, one, other].map(decoded);
}

type Recalculate = (pods: readonly PodTarget[]) => number;

function recalculating(pods: number, churn: number, recalculate: Recalculate): Body {
  const given = snapshots(pods, churn);
  let turn = 0;
  const run = (count: number): number => {
    let sum = 0;
    for (let round = 0; round < count; round++) {
      sum += recalculate(given[turn] ?? []);
      turn = turn + 1 === given.length ? 0 : turn + 1;
    }
    return sum;
  };
  return { run, empty: emptyLoop, count: Math.max(16, Math.round(50_000 / pods)) };
}

const recalculations = snapshotSizes.flatMap((pods) =>
  churns.map((churn): Cell => ({
    part: 'B-7',
    name: `snapshot of ${pods}, ${churn} % new`,
    make: () => {
      const table = new PodTable(optionsOf('round-robin', { trimThreshold: 0.5 }));
      let version = 0;
      return recalculating(pods, churn, (given) => {
        version += 1;
        return table.recalculate(given, version, now)?.kept ?? 0;
      });
    },
  })),
);

const rivalRecalculations = [100, 500].flatMap((pods) =>
  [0, 10].flatMap((churn): readonly Cell[] => [
    {
      part: 'B-7',
      name: `old design: snapshot of ${pods}, ${churn} % new`,
      make: () => {
        const old = new MapSliceFilter(new Random(1));
        return recalculating(pods, churn, (given) => {
          old.recalculate(given.map(({ dest }) => dest));
          return old.capacity;
        });
      },
    },
    {
      part: 'B-7',
      name: `dense: snapshot of ${pods}, ${churn} % new`,
      make: () => {
        const dense = new Dense(2 * pods);
        return recalculating(pods, churn, (given) => {
          dense.recalculate(given);
          return dense.length;
        });
      },
    },
  ]),
);

/** Everything goes, in this order; then it comes again, which is measured too. */
function storm(places: readonly number[]): Body {
  const pods = places.map(podAt);
  const table = new PodTable(optionsOf('round-robin', { trimThreshold: 0.5 }));
  let released = 0;
  const run = (count: number): number => {
    for (let round = 0; round < count; round++) {
      for (let place = 0; place < pods.length; place++) table.put(podAt(place), now);
      for (const { dest } of pods) table.remove(dest, undefined, now);
      released += pods.length;
    }
    return released;
  };
  const figures = (): Readonly<Record<string, number>> => ({
    visits_per_release: table.figures.trimVisits / released,
  });
  return { run, empty: emptyLoop, count: 10, figures };
}

const thousand = Array.from({ length: 1_000 }, (_, place) => place);

const storms = [
  { order: 'from the back', places: thousand.toReversed() },
  { order: 'from the front', places: thousand },
  // 777 and 1,000 have no common divisor, so each place comes once.
  { order: 'in any order', places: thousand.map((place) => (place * 777 + 13) % 1_000) },
].map(({ order, places }): Cell => ({
  part: 'B-8',
  name: `1,000 pods come and go ${order}`,
  make: () => storm(places),
}));

export const podCells: readonly Cell[] = [
  ...adding,
  ...filling,
  ...finding,
  addingToOld,
  ...recalculations,
  ...rivalRecalculations,
  ...storms,
];
