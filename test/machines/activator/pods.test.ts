// The chart of a pod, by what its revision does with it: when requests go to it and when not any
// more (spec activator 2.6).
import { describe, expect, it } from 'vitest';
import { podArrows, podPlaces } from '#machines/activator/pod/chart.ts';
import { RevisionKit } from './kit.ts';
import { destOf } from './objects.ts';

const ip = '10.0.0.1';
const dest = destOf(ip);
const transitions = 'activator_pod_state_transitions_total';

describe('A pod that requests go to', () => {
  it('gets none from the turn on in which the endpoints call it not ready, and is asked (H-42)', () => {
    const kit = new RevisionKit().serving(ip);
    const permit = kit.admit();
    kit.listed({ ip, ready: false }).reconcile();
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    expect(() => kit.admit()).toThrow('not admitted');
    expect(kit.asked).toHaveLength(2);
    kit.complete(permit).answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'recovering' });
    expect(kit.admit()).toMatchObject({ dest });
  });

  it('gets none after a request that could not reach it, and is asked', () => {
    const kit = new RevisionKit().serving(ip);
    kit.requests.failed(dest, `pod-${ip}`);
    kit.reconcile();
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    expect(kit.asked).toHaveLength(2);
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'recovering' });
  });

  it('may fail as often as is allowed, and the failure of a pod before it does not count', () => {
    const kit = new RevisionKit({ failuresToDemote: 2 }).serving(ip);
    kit.requests.failed(dest, `pod-${ip}`);
    kit.requests.failed(dest, 'the one before');
    kit.reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
    kit.requests.failed(dest, `pod-${ip}`);
    kit.reconcile();
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
  });

  it('is ready again after ten seconds without a failure', () => {
    const kit = new RevisionKit().serving(ip).listed({ ip, ready: false }).reconcile();
    kit.answer(ip, true).reconcile().advance(9_999);
    expect(kit.table).toEqual({ [dest]: 'recovering' });
    kit.advance(1);
    expect(kit.table).toEqual({ [dest]: 'ready' });
    expect(kit.counted(transitions, { from: 'recovering', cause: 'recovered' })).toBe(1);
  });

  it('of a container with a start-up probe gets none while the endpoints call it not ready', () => {
    const containers = [{ name: 'user', startupProbe: {} }];
    const kit = new RevisionKit().serving(ip).given({ containers, version: 2 });
    kit.listed({ ip, ready: false }).reconcile();
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    expect(kit.asked).toHaveLength(1);
  });
});

describe('A pod that an actor finds after its restart', () => {
  it('goes on with its requests, its slot and its state', () => {
    const kit = new RevisionKit().serving(ip);
    const permit = kit.admit();
    kit.restart({}, { ip });
    expect(kit.requests.admission.table.snapshot()).toMatchObject([
      { dest, state: 'ready', inFlight: 1, index: permit.index, gen: permit.gen },
    ]);
    kit.complete(permit).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
  });

  it('goes on getting requests though it is not called ready, until it was asked', () => {
    const kit = new RevisionKit().serving(ip);
    kit.restart({}, { ip, ready: false });
    expect(kit.table).toEqual({ [dest]: 'ready' });
    kit.answer(ip, true).reconcile();
    expect(kit.table).toEqual({ [dest]: 'ready' });
    expect(kit.wakesAt).toBeUndefined();
    kit.restart({}, { ip, ready: false }).answer(ip, false).reconcile();
    expect(kit.table).toEqual({ [dest]: 'not-ready' });
    expect(kit.counted(transitions, { cause: 'refused' })).toBe(1);
  });

  it('drains if it has left the endpoints meanwhile, and is released by the old deadline', () => {
    const kit = new RevisionKit().serving(ip);
    kit.admit();
    kit.listed().reconcile().advance(100_000).restart();
    expect(kit.table).toEqual({ [dest]: 'draining' });
    kit.advance(230_000);
    expect(kit.table).toEqual({});
  });
});

describe('Pods that find no slot', () => {
  it('wait, are not asked all the time, and get one when there is one (T-3)', () => {
    const ips = [ip, '10.0.0.2', '10.0.0.3'];
    const kit = new RevisionKit({}, { maxSlots: 2 }).serving(...ips);
    expect(Object.keys(kit.table)).toEqual(ips.slice(0, 2).map(destOf));
    expect(kit.counted(transitions, { to: 'pending', cause: 'no slot' })).toBe(1);
    expect(kit.wakesAt).toBe(kit.now + 5_000);
    kit.listed({ ip: '10.0.0.2' }, { ip: '10.0.0.3' }).reconcile().advance(5_000);
    kit.answer('10.0.0.3', true).reconcile();
    expect(kit.table).toEqual({ '10.0.0.2:8012': 'ready', '10.0.0.3:8012': 'ready' });
  });
});

describe('The chart of a pod', () => {
  it('leads from every state to another one, and names each cause once for a way', () => {
    for (const place of podPlaces) {
      expect(podArrows.some(({ from, to }) => from.includes(place) && to !== place)).toBe(true);
    }
    const ways = podArrows.flatMap(({ from, to, cause }) =>
      from.map((at) => `${at} ${to} ${cause}`),
    );
    expect(new Set(ways).size).toBe(ways.length);
  });
});
