// B-1 to B-3: what it costs to take a permit and to give it back, by policy, by number of pods,
// with holes, near saturation; through admission; and in the design that the table replaces.
import { Random } from '#src/activator/table/random.ts';
import { policyNames, type PolicyName } from '#src/activator/table/types.ts';
import { type Body, type Cell, emptyLoop, manyOperations } from '../body.ts';
import { MapSliceFilter } from '../rivals/map-slice-filter.ts';
import { admissionLoad, tableLoad } from '../ring.ts';
import {
  admissionOf,
  now,
  optionsOf,
  podAt,
  podsAt,
  sparse,
  tableOf,
  usualLoad,
} from '../tables.ts';

export const podCounts = [10, 100, 500, 5_000] as const;
export const rivalCounts = [10, 100, 500] as const;
export const saturations = [0, 50, 90, 99, 100] as const;

const byPolicy = policyNames.flatMap((policy) =>
  podCounts.map((pods): Cell => ({
    part: 'B-1',
    name: `${policy} ${pods}`,
    make: () => tableLoad(tableOf(pods, policy), usualLoad(pods)),
  })),
);

const onlyLast: Cell = {
  part: 'B-1',
  name: 'first-available only the last of 100',
  make: () => {
    const table = tableOf(100, 'first-available', 1);
    for (let pod = 0; pod < 99; pod++) table.slots.take();
    return tableLoad(table, 1);
  },
};

/** All five in the process; then one of them is measured. */
const together = policyNames.map((policy): Cell => ({
  part: 'B-1',
  name: `${policy} 100, all five in the process`,
  make: () => {
    for (const other of policyNames) {
      tableLoad(tableOf(100, other), usualLoad(100)).run(manyOperations);
    }
    return tableLoad(tableOf(100, policy), usualLoad(100));
  },
}));

const rivals = rivalCounts.flatMap((pods) => [
  rival(`old design ${pods}`, pods, (old) => old.acquire()),
  rival(`old design ${pods}, with its filter`, pods, (old) => old.route()),
]);

type Route = (old: MapSliceFilter) => (() => void) | undefined;

function rival(name: string, pods: number, route: Route): Cell {
  const make = (): Body => {
    const old = new MapSliceFilter(new Random(1));
    old.recalculate(podsAt(pods).map(({ dest }) => dest));
    const requests = Array.from({ length: usualLoad(pods) }, () => route(old));
    let at = 0;
    const run = (count: number): number => {
      for (let round = 0; round < count; round++) {
        requests[at]?.();
        requests[at] = route(old);
        at = at + 1 === requests.length ? 0 : at + 1;
      }
      return old.capacity;
    };
    return { run, empty: emptyLoop, count: manyOperations / 10 };
  };
  return { part: 'B-1', name, make };
}

const drawing = ['random', 'random-choice-2'] as const;

const withHoles = drawing.flatMap((policy) => [
  ...[25, 50, 90].map((percent): Cell => ({
    part: 'B-2',
    name: `${policy} 100, ${percent} % holes`,
    make: () => tableLoad(sparse(100, Math.round(10_000 / (100 - percent)), policy), 200),
  })),
  {
    part: 'B-2',
    name: `${policy} 100, half of them not ready`,
    make: () => {
      const table = tableOf(200, policy);
      for (let pod = 0; pod < 200; pod += 2) table.put({ ...podAt(pod), state: 'not-ready' }, now);
      return tableLoad(table, 200);
    },
  } satisfies Cell,
  {
    part: 'B-2',
    name: `${policy}, one of 500 ready`,
    make: () => {
      const table = tableOf(500, policy);
      for (let pod = 1; pod < 500; pod++) table.put({ ...podAt(pod), state: 'not-ready' }, now);
      return tableLoad(table, 200);
    },
  } satisfies Cell,
]);

const usualPolicy = (limit: number): PolicyName => (limit <= 3 ? 'first-available' : 'round-robin');

const nearSaturation = [1, 3, 10, 100].flatMap((limit) =>
  saturations.map((percent): Cell => ({
    part: 'B-3',
    name: `limit ${limit}, ${percent} % taken`,
    make: () => {
      const admission = admissionOf(optionsOf(usualPolicy(limit), { limit }));
      admission.change((table) => table.recalculate(podsAt(100), 1, now));
      const taken = limit * percent;
      if (percent < 100) return admissionLoad(admission, Math.max(1, taken));
      for (let permit = 0; permit < taken; permit++) admission.admit();
      return { run: refused, empty: emptyLoop, count: manyOperations };
      function refused(count: number): number {
        let sum = 0;
        for (let round = 0; round < count; round++) sum += admission.admit();
        return sum;
      }
    },
  })),
);

const whole = policyNames.map((policy): Cell => ({
  part: 'admission',
  name: `admission by ${policy} 100`,
  make: () => {
    const admission = admissionOf(optionsOf(policy));
    admission.change((table) => table.recalculate(podsAt(100), 1, now));
    return admissionLoad(admission, usualLoad(100));
  },
}));

export const acquireCells: readonly Cell[] = [
  ...byPolicy,
  onlyLast,
  ...together,
  ...rivals,
  ...withHoles,
  ...nearSaturation,
  ...whole,
];
