// Requests at once, accounted as an integral: the worked cases of the specification, and random
// histories against a naive sum.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger, type Report } from '#src/activator/scaling/ledger.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const revision = 'demo/hello';

function book() {
  const clock = new VirtualClock();
  const batches: (readonly Report[])[] = [];
  const ledger = new Ledger({ clock, report: (batch) => void batches.push(batch), tickMs: 1 });
  const pairs = () => batches.flat().map(({ concurrency, count }) => [concurrency, count]);
  return { clock, batches, ledger, pairs };
}

type Step = 'start' | 'end' | number;

/** Numbers are milliseconds that pass; a tick is each of them. */
async function told(steps: readonly Step[]): Promise<readonly (readonly number[])[]> {
  const { clock, ledger, pairs } = book();
  for (const step of steps) {
    if (step === 'start') ledger.begun(revision);
    else if (step === 'end') ledger.ended(revision);
    else await clock.advance(step);
  }
  return pairs();
}

describe('What is told of requests at once (H-112, H-113)', () => {
  it.each<[string, readonly Step[], readonly (readonly number[])[]]>([
    [
      'a first one is told at once, and left out of the next report',
      ['start', 1],
      [
        [1, 1],
        [0, 0],
      ],
    ],
    [
      'two of them',
      ['start', 'start', 1, 1],
      [
        [1, 1],
        [1, 1],
        [2, 0],
      ],
    ],
    [
      'three of them',
      ['start', 'start', 'start', 1],
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      'one that has ended is forgotten after a report of zero, and the next is a first one again',
      ['start', 1, 'end', 1, 'start', 1],
      [
        [1, 1],
        [0, 0],
        [0, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ])('%s', async (_what, steps, expected) => {
    await expect(told(steps)).resolves.toEqual(expected);
  });

  it('is a fraction where requests are short (H-115)', async () => {
    const clock = new VirtualClock();
    const batches: (readonly Report[])[] = [];
    const ledger = new Ledger({ clock, report: (batch) => void batches.push(batch), tickMs: 2 });
    ledger.begun(revision);
    ledger.begun(revision);
    await clock.advance(1);
    ledger.ended(revision);
    await clock.advance(1);
    ledger.ended(revision);
    expect(batches.flat().map(({ concurrency, count }) => [concurrency, count])).toEqual([
      [1, 1],
      [0.5, 1],
    ]);
  });

  it('counts requests that took no time, where they are (H-114, H-118)', async () => {
    const { clock, ledger, pairs } = book();
    ledger.begun(revision);
    for (let count = 0; count < 5; count++) {
      ledger.begun(revision);
      ledger.ended(revision);
    }
    ledger.ended(revision);
    await clock.advance(1);
    expect(pairs()).toEqual([
      [1, 1],
      [0, 5],
    ]);
  });

  it('is one batch for each tick, and nothing where there is nothing (H-120, H-146)', async () => {
    const { clock, ledger, batches } = book();
    await clock.advance(10);
    expect(batches).toEqual([]);
    ledger.begun('demo/a');
    ledger.begun('demo/b');
    await clock.advance(1);
    expect(batches.map((batch) => batch.map((each) => each.revision))).toEqual([
      ['demo/a', 'demo/b'],
      ['demo/a', 'demo/b'],
    ]);
    ledger.ended('demo/a');
    ledger.ended('demo/b');
    await clock.advance(10);
    expect(batches).toHaveLength(3);
  });

  it('is told in a turn of its own, not on the request path (H-119)', async () => {
    const { clock, ledger, batches } = book();
    ledger.begun(revision);
    expect(batches).toEqual([]);
    await clock.drain();
    expect(batches).toHaveLength(1);
  });

  it('counts an end on what its begin was counted on, however often nothing was reported (H-116, H-117)', async () => {
    const { clock, ledger } = book();
    ledger.begun(revision);
    await clock.advance(50);
    expect(ledger.active(revision)).toBe(1);
    ledger.ended(revision);
    ledger.ended(revision);
    expect(ledger.active(revision)).toBe(0);
    ledger.begun(revision);
    expect(ledger.active(revision)).toBe(1);
  });

  it('adds up to the exact integral of concurrency (P-23)', async () => {
    const step = fc.oneof(
      fc.constant<Step>('start'),
      fc.constant<Step>('end'),
      fc.integer({ min: 1, max: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new VirtualClock();
        const tickMs = 10;
        let told = 0;
        let count = 0;
        let begun = 0;
        let naive = 0;
        let active = 0;
        const ledger = new Ledger({
          clock,
          tickMs,
          report: (batch) => {
            for (const each of batch) {
              count += each.count;
              if (each.isFirst !== true) told += each.concurrency * tickMs;
            }
          },
        });
        // Without the discount of a first request, which is told as a request for a whole tick.
        ledger.begun(revision);
        await clock.advance(tickMs);
        begun += 1;
        active += 1;
        for (const each of [...steps, tickMs]) {
          if (each === 'start') {
            ledger.begun(revision);
            active += 1;
            begun += 1;
          } else if (each === 'end' && active > 1) {
            ledger.ended(revision);
            active -= 1;
          } else if (typeof each === 'number') {
            naive += active * each;
            await clock.advance(each);
          }
        }
        const rest = (tickMs - (clock.now() % tickMs)) % tickMs;
        naive += active * rest;
        await clock.advance(rest);
        expect(Math.abs(told - naive)).toBeLessThanOrEqual(1e-9 * Math.max(1, naive));
        expect(count).toBe(begun);
      }),
    );
  });
});
