// Validation: no pod gets requests before it has shown that it takes them and that it is the one
// that the endpoints mean (spec activator 2.11).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microsOf } from '#machines/activator/time.ts';
import { RevisionKit } from './kit.ts';
import { destOf } from './objects.ts';

const ip = '10.0.0.1';
const dest = destOf(ip);
const validations = 'activator_ready_validations_total';

const listedOne = (): RevisionKit => new RevisionKit().given().listed({ ip }).reconcile();

describe('A pod that the endpoints call ready', () => {
  it('is not in the table before it was validated (R-14)', () => {
    const kit = listedOne();
    expect(kit.table).toEqual({});
    kit.answer(ip, false).reconcile();
    expect(kit.table).toEqual({});
    kit.advance(200).answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
    expect(kit.counted(validations, { result: 'failed' })).toBe(1);
    expect(kit.counted(validations, { result: 'ok' })).toBe(1);
  });

  it('is validated once, however often it is listed (R-14)', () => {
    const kit = listedOne().listed({ ip }).reconcile().listed({ ip }).reconcile();
    expect(kit.asked).toHaveLength(1);
  });

  it('is not promoted by the answer of another one at its address (R-15)', () => {
    const kit = listedOne().answer(ip, true, 'pod-of-somebody-else').reconcile();
    expect(kit.table).toEqual({});
    expect(kit.counted(validations, { result: 'reused' })).toBe(1);
    kit.advance(200).answer(ip, true, 'pod-of-somebody-else').reconcile();
    expect(kit.counted(validations, { result: 'reused' })).toBe(2);
    expect(kit.decided).toEqual([
      'pod-of-somebody-else answered at 10.0.0.1:8012, where the endpoints have pod-10.0.0.1',
    ]);
    kit.advance(200).answer(ip, true, `pod-${ip}`).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it('is not promoted by an answer to an earlier attempt (T-13)', () => {
    const kit = listedOne();
    const { attempt } = kit.asked[0] ?? { attempt: 0 };
    kit.advance(5_000);
    expect(kit.counted(validations, { result: 'lost' })).toBe(1);
    expect(kit.asked).toHaveLength(2);
    kit.late(dest, attempt, true).reconcile();
    expect(kit.table).toEqual({});
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it('whose validation was under way at a crash is asked anew, under another number', () => {
    const kit = listedOne();
    kit.restart({}, { ip });
    expect(kit.asked.map(({ attempt }) => attempt)).toEqual([1, 2]);
    kit.late(dest, 1, true).reconcile();
    expect(kit.table).toEqual({});
  });

  it('that has left the endpoints meanwhile is not asked any more', () => {
    const kit = listedOne().listed().reconcile();
    expect(kit.instructed).toContain('cancelValidation');
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({});
    expect(kit.wakesAt).toBeUndefined();
  });

  it('is asked again every 200 ms for 30 s, then ever more rarely, up to every 5 s (H-53)', () => {
    const kit = listedOne();
    const times: number[] = [];
    for (let at = kit.now; kit.now - at < 60_000;) {
      times.push(kit.now);
      const before = kit.asked.length;
      kit.answer(ip, false).reconcile();
      while (kit.asked.length === before) kit.advance(100);
    }
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(new Set(gaps.slice(0, 150))).toEqual(new Set([200]));
    expect(gaps.slice(151, 157)).toEqual([400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it.each([50, 700])('is asked again every %i ms where that is set (H-54)', (ms) => {
    const kit = new RevisionKit({ validationTick: microsOf(ms) })
      .given()
      .listed({ ip })
      .reconcile();
    for (let count = 1; count <= 5; count++) {
      expect(kit.asked).toHaveLength(count);
      kit
        .answer(ip, false)
        .reconcile()
        .advance(ms - 1);
      expect(kit.asked).toHaveLength(count);
      kit.advance(1);
    }
  });

  it('is not asked any more when it has passed, and no timer runs (H-56)', () => {
    const kit = listedOne().answer(ip, true).reconcile();
    expect(kit.wakesAt).toBeUndefined();
    kit.advance(3_600_000);
    expect(kit.asked).toHaveLength(1);
  });
});

describe('A pod that is not called ready yet', () => {
  it('is asked all the same: its own answer counts (1.14)', () => {
    const kit = new RevisionKit().given().listed({ ip, ready: false }).reconcile();
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it.each([
    ['a start-up probe', { startupProbe: {} }],
    ['a readiness probe that runs a command', { readinessProbe: { exec: {} } }],
  ])('waits for the platform where a container has %s (H-49 to H-51, Q10)', (_, probe) => {
    const containers = [{ name: 'user' }, { name: 'beside', ...probe }];
    const kit = new RevisionKit().given({ containers }).listed({ ip, ready: false }).reconcile();
    expect(kit.asked).toEqual([]);
    kit.listed({ ip }).reconcile();
    expect(kit.asked).toHaveLength(1);
  });
});

describe('The validations of an address', () => {
  it('lead to the pod that is listed last, and to no other (R-15, P-19)', () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('list' as const), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ type: fc.constant('clear' as const) }),
      fc.record({ type: fc.constant('answer' as const), shown: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ type: fc.constant('pass' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const kit = new RevisionKit().given().reconcile();
        let listed: string | undefined;
        /** Pods that have shown that they are who was asked. */
        const shown = new Set<string>();
        for (const one of steps) {
          if (one.type === 'list') kit.listed({ ip, id: (listed = one.id) });
          if (one.type === 'clear') {
            listed = undefined;
            kit.listed();
          }
          const asked = kit.asked.at(-1)?.id;
          if (one.type === 'answer' && asked !== undefined) {
            kit.answer(ip, true, one.shown);
            if (one.shown === asked) shown.add(asked);
          }
          if (one.type === 'pass') kit.advance(200);
          kit.reconcile();
          const ids = kit.requests.admission.table.snapshot().map(({ id }) => id);
          expect(ids.every((id) => id === listed && shown.has(id))).toBe(true);
        }
      }),
    );
  });
});
