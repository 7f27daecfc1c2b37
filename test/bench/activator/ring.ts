// A steady load on a table or an admission: some requests are always under way, and with each
// operation the oldest one ends and another one comes. What a request remembers is in two typed
// arrays, so the loop itself allocates nothing.
import type { Admission } from '#src/activator/admission/admission.ts';
import type { PodTable } from '#src/activator/table/table.ts';
import { type Body, manyOperations } from './body.ts';

interface Requests {
  readonly indices: Int32Array;
  readonly gens: Int32Array;
}

const none = (count: number): Requests => ({
  indices: new Int32Array(count),
  gens: new Int32Array(count),
});

/** Takes and gives back permits, with `underWay` requests on the pods. */
export function tableLoad(table: PodTable, underWay: number): Body {
  const { indices, gens } = none(underWay);
  for (let at = 0; at < underWay; at++) {
    const index = table.slots.take();
    indices[at] = index;
    gens[at] = table.genOf(index);
  }
  let at = 0;
  const run = (count: number): number => {
    let sum = 0;
    for (let round = 0; round < count; round++) {
      table.slots.giveBack(indices[at] ?? 0, gens[at] ?? 0);
      const index = table.slots.take();
      indices[at] = index;
      gens[at] = table.genOf(index);
      sum += index;
      at = at + 1 === underWay ? 0 : at + 1;
    }
    return sum;
  };
  return { run, empty: emptyRing(underWay), count: manyOperations };
}

/** The same through admission. Written out: a loop over either would be compiled for neither. */
export function admissionLoad(admission: Admission, underWay: number): Body {
  const { indices, gens } = none(underWay);
  const { table } = admission;
  for (let at = 0; at < underWay; at++) {
    const index = admission.admit();
    indices[at] = index;
    gens[at] = table.genOf(index);
  }
  let at = 0;
  const run = (count: number): number => {
    let sum = 0;
    for (let round = 0; round < count; round++) {
      admission.complete(indices[at] ?? 0, gens[at] ?? 0);
      const index = admission.admit();
      indices[at] = index;
      gens[at] = table.genOf(index);
      sum += index;
      at = at + 1 === underWay ? 0 : at + 1;
    }
    return sum;
  };
  return { run, empty: emptyRing(underWay), count: manyOperations };
}

function emptyRing(underWay: number): Body['empty'] {
  const { indices, gens } = none(underWay);
  let at = 0;
  return (count) => {
    let sum = 0;
    for (let round = 0; round < count; round++) {
      const index = (indices[at] ?? 0) ^ (gens[at] ?? 0);
      indices[at] = index;
      gens[at] = round;
      sum += index;
      at = at + 1 === underWay ? 0 : at + 1;
    }
    return sum;
  };
}
