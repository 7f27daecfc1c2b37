// Random histories of a warm queue beside a list that is scanned for each pick, as 3.2 reads. Any
// version may be changed and read again at any time: a reconcile's result may be thrown away.
// A hundred thousand of them: COPPICE_HISTORIES=100000 npm test -- warmpool/queue/histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueueKey } from '#machines/agentsandbox/warmpool/queue/fifo.ts';
import { WarmQueue } from '#machines/agentsandbox/warmpool/queue/queue.ts';

const histories = Number(process.env['COPPICE_HISTORIES'] ?? 300);

type Keys = readonly QueueKey[];

function naivePick(keys: Keys): QueueKey | undefined {
  const scheduled = keys.filter(({ nodeName }) => nodeName !== '');
  const onNode = (nodeName: string): number =>
    scheduled.filter((key) => key.nodeName === nodeName).length;
  const most = Math.max(...scheduled.map(({ nodeName }) => onNode(nodeName)));
  return scheduled.find(({ nodeName }) => onNode(nodeName) === most) ?? keys[0];
}

const naiveAdd = (keys: Keys, key: QueueKey): Keys =>
  keys.some(({ name }) => name === key.name)
    ? keys.map((one) => (one.name === key.name ? key : one))
    : [...keys, key];

const naiveRemove = (keys: Keys, name: string): Keys => keys.filter((key) => key.name !== name);

interface Version {
  readonly queue: WarmQueue;
  readonly model: Keys;
}

type Act = (version: Version) => Version;

const name = fc.nat({ max: 19 }).map((at) => `pool-${at}`);
const nodeName = fc.constantFrom(
  '',
  '',
  'n1',
  'n1',
  'n1',
  'n2',
  'n2',
  'n3',
  'n4',
  'n5',
  'n6',
  'n7',
  'n8',
  'n9',
  'n10',
);
const act = (shown: string, run: Act): Act =>
  Object.assign(run, { [fc.toStringMethod]: () => shown });

const add = fc.record({ name, nodeName }).map((key) =>
  act(`add ${key.name}@${key.nodeName}`, ({ queue, model }) => ({
    queue: queue.add(key),
    model: naiveAdd(model, key),
  })),
);
const remove = name.map((name) =>
  act(`remove ${name}`, ({ queue, model }) => ({
    queue: queue.remove(name),
    model: naiveRemove(model, name),
  })),
);
const take = fc.constant(
  act('take', ({ queue, model }) => ({
    queue: queue.remove(queue.pick()?.name ?? ''),
    model: naiveRemove(model, naivePick(model)?.name ?? ''),
  })),
);

function check({ queue, model }: Version): void {
  expect(queue.pick()).toEqual(naivePick(model));
  expect(queue.keys()).toEqual(model);
  expect(queue.size).toBe(model.length);
}

const history = fc.array(
  fc.record({
    act: fc.oneof({ weight: 4, arbitrary: add }, remove, take),
    /** Which versions are changed and read; the newest one is where this is even. */
    from: fc.nat(),
    again: fc.nat(),
  }),
  { maxLength: 60, size: 'max' },
);

describe('A history of a warm queue', () => {
  it('picks at each step as a scan would, and leaves each version as it was (Q1 to Q16)', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const versions: Version[] = [{ queue: WarmQueue.of(), model: [] }];
        for (const { act, from, again } of steps) {
          const at = from % 2 === 0 ? versions.length - 1 : from % versions.length;
          const next = versions.slice(at, at + 1).map(act);
          next.forEach(check);
          versions.push(...next);
          versions
            .slice(again % versions.length)
            .slice(0, 1)
            .forEach(check);
        }
        versions.forEach(check);
      }),
      { numRuns: histories },
    );
  });
});
