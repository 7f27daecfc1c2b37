// Pods that leave: they get no request from the turn on in which they are not listed any more, and
// their slot is released once, when the last request has ended or time is up (spec activator 2.9
// and 2.10).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RevisionKit, type Permit } from './kit.ts';
import { destOf } from './objects.ts';

const ip = '10.0.0.1';
const dest = destOf(ip);
const transitions = 'activator_pod_state_transitions_total';
const ipOf = (index: number): string => `10.0.0.${index + 1}`;

/** A pod that has left the endpoints with a request on it. */
function drainingOne(): { kit: RevisionKit; permit: Permit } {
  const kit = new RevisionKit().serving(ip);
  const permit = kit.admit();
  kit.listed().reconcile();
  return { kit, permit };
}

describe('A pod that is not listed any more', () => {
  it('leaves in the same turn where it has no request, though nobody was asked (H-44)', () => {
    const kit = new RevisionKit().serving(ip).listed().reconcile();
    expect(kit.table).toEqual({});
    expect(kit.counted(transitions, { to: 'absent', cause: 'removed' })).toBe(1);
    expect(kit.state).toEqual({ active: { traffic: 'zero' } });
  });

  it('drains, and its slot is released in the turn of its last request (R-4)', () => {
    const { kit, permit } = drainingOne();
    expect(kit.table).toEqual({ [dest]: 'draining' });
    expect(() => kit.admit()).toThrow('not admitted');
    kit.complete(permit);
    expect(kit.table).toEqual({});
    kit.reconcile();
    expect(kit.counted(transitions, { from: 'draining', cause: 'drained' })).toBe(1);
    expect(kit.wakesAt).toBeUndefined();
  });

  it('drains for the longest timeout and 30 s; then its requests run on without it', () => {
    const { kit, permit } = drainingOne();
    expect(kit.wakesAt).toBe(kit.now + 330_000);
    kit.advance(329_999);
    expect(kit.table).toEqual({ [dest]: 'draining' });
    kit.advance(1);
    expect(kit.table).toEqual({});
    expect(kit.requests.admission.table.figures).toMatchObject({ forced: 1, detached: 1 });
    kit.complete(permit).reconcile();
    expect(kit.requests.admission.table.figures).toMatchObject({ active: 0, stale: 1 });
    expect(kit.counted(transitions, { cause: 'deadline' })).toBe(1);
  });

  it('is given requests again where it is listed and validated again (2.6.2)', () => {
    const { kit, permit } = drainingOne();
    kit.listed({ ip }).reconcile();
    expect(kit.table).toEqual({ [dest]: 'draining' });
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'recovering' });
    kit.complete(permit).reconcile();
    expect(kit.table).toEqual({ [dest]: 'recovering' });
    kit.advance(10_000);
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it('keeps its address from another pod until its last request has ended', () => {
    const { kit, permit } = drainingOne();
    kit.listed({ ip, id: 'the next one' }).reconcile();
    expect(kit.asked).toHaveLength(1);
    kit.complete(permit).reconcile();
    expect(kit.asked).toMatchObject([{ id: `pod-${ip}` }, { id: 'the next one' }]);
    kit.answer(ip, true).reconcile();
    expect(kit.requests.admission.table.snapshot()).toMatchObject([{ id: 'the next one' }]);
  });
});

describe('Pods that drain', () => {
  it('have one deadline together, the earliest (R-4)', () => {
    const ips = Array.from({ length: 50 }, (_, index) => ipOf(index));
    const kit = new RevisionKit().serving(...ips);
    for (const _ of ips) kit.admit();
    const left = ips.map((each) => ({ ip: each }));
    const start = kit.now;
    while (left.length > 0) {
      left.shift();
      kit.listed(...left).reconcile();
      expect(kit.wakesAt).toBe(start + 330_000);
      kit.advance(10);
    }
    kit.advance(330_000);
    expect(kit.table).toEqual({});
  });

  it('are each released once, whatever ends the drain, and nothing is left over (R-3)', () => {
    const ends = fc.array(fc.constantFrom('complete', 'pass', 'restart', 'close'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), ends, (count, steps) => {
        const ips = Array.from({ length: count }, (_, index) => ipOf(index));
        const kit = new RevisionKit().serving(...ips);
        const { admission } = kit.requests;
        const permits = ips.map(() => kit.admit());
        kit.listed().reconcile();
        for (const step of steps) {
          if (step === 'close') break;
          const permit = step === 'complete' ? permits.pop() : undefined;
          if (permit !== undefined) kit.complete(permit).reconcile();
          if (step === 'pass') kit.advance(20_000);
          if (step === 'restart') kit.restart();
          expect(admission.table.audit()).toEqual([]);
        }
        kit.gone().reconcile();
        expect(kit.isOver).toBe(true);
        kit.end();
        expect(admission.table.figures).toMatchObject({ live: 0, routable: 0, draining: 0 });
        for (const { index, gen } of permits) admission.complete(index, gen);
        expect(admission.table.figures).toMatchObject({ active: 0, detached: 0 });
        expect(admission.table.audit()).toEqual([]);
      }),
    );
  });
});

describe('A pod that is not ready', () => {
  const fallen = (): RevisionKit =>
    new RevisionKit().serving(ip).listed({ ip, ready: false }).reconcile();

  it('leaves after more than ten minutes, and comes back by validation alone (P-20)', () => {
    const kit = fallen();
    kit.answer(ip, false).reconcile();
    kit.advance(600_000);
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    kit.advance(1_000);
    expect(kit.table).toEqual({});
    expect(kit.counted(transitions, { cause: 'stale' })).toBe(1);
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it('stays as long as it has a request, which is looked at every minute (P-20)', () => {
    const kit = new RevisionKit().serving(ip);
    const permit = kit.admit();
    kit.listed({ ip, ready: false }).reconcile().answer(ip, false).reconcile();
    kit.advance(700_000);
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    kit.complete(permit).advance(60_000);
    expect(kit.table).toEqual({});
  });
});
