// The states of a revision, what it says in each, and what it reads of its objects.
import { describe, expect, it } from 'vitest';
import { readSlice } from '#machines/activator/objects/endpoint-slice.ts';
import { readRevision } from '#machines/activator/objects/revision.ts';
import { listedPods } from '#machines/activator/pod/listed.ts';
import { type ActivatorSettings, defaultSettings } from '#machines/activator/settings.ts';
import type { WaitHandler } from '#src/activator/admission/types.ts';
import { RevisionKit } from './kit.ts';
import { destOf, revisionObject, sliceObject } from './objects.ts';

const ip = '10.0.0.1';

/** What becomes of requests that wait. */
function waiting(kit: RevisionKit, count: number): string[] {
  const ends: string[] = [];
  const handler: WaitHandler = {
    granted: () => void ends.push('granted'),
    refused: (reason) => void ends.push(reason),
  };
  for (let left = count; left > 0; left--) kit.requests.wait(handler);
  return ends;
}

describe('A revision', () => {
  it('goes from zero pods over waking to serving, and to zero again', () => {
    const kit = new RevisionKit().given();
    expect(kit.state).toBe('awaited');
    kit.reconcile();
    expect(kit.state).toEqual({ active: { traffic: 'zero' } });
    expect(kit.why).toEqual(['Service hello-private has no endpoints']);
    const ends = waiting(kit, 2);
    kit.reconcile();
    expect(kit.state).toEqual({ active: { traffic: 'waking' } });
    kit.advance(1_000);
    expect(kit.why[0]).toBe('2 requests wait, and no pod can take one');
    kit.listed({ ip }).reconcile().answer(ip, true).reconcile();
    expect(ends).toEqual(['granted', 'granted']);
    kit.advance(1_000);
    expect(kit.state).toEqual({ active: { traffic: 'serving' } });
    expect(kit.why).toEqual(['1 pods take requests']);
    kit.listed().reconcile();
    expect(kit.state).toEqual({ active: { traffic: 'zero' } });
  });

  it('is overloaded while requests wait although pods take some', () => {
    const kit = new RevisionKit().serving(ip).given({ limit: 1, version: 2 }).reconcile();
    const permit = kit.admit();
    waiting(kit, 3);
    kit.reconcile();
    expect(kit.state).toEqual({ active: { traffic: 'overloaded' } });
    expect(kit.view).toMatchObject({ waiting: 1, pods: { ready: 1 } });
    kit.advance(1_000);
    expect(kit.why).toEqual(['3 requests wait, as all 1 pods have as many as they take']);
    kit.given({ limit: 0, version: 3 }).reconcile().complete(permit).advance(2_000);
    expect(kit.state).toEqual({ active: { traffic: 'serving' } });
    expect(kit.wakesAt).toBeUndefined();
  });

  it('hears of waiting requests once, however many come and go within a second', () => {
    const kit = new RevisionKit().given().reconcile();
    const before = kit.instructed.length;
    for (let round = 0; round < 100; round++) {
      waiting(kit, 1);
      kit.reconcile();
    }
    expect(kit.instructed.slice(before)).toEqual([]);
    kit.advance(1_000);
    expect(kit.instructed.slice(before)).toEqual(['tellDemand']);
  });

  it('that is deleted refuses those who wait at once, and lets running requests end (Q7)', () => {
    const kit = new RevisionKit().serving(ip).given({ limit: 1, version: 2 }).reconcile();
    const permit = kit.admit();
    const ends = waiting(kit, 2);
    kit.given({ limit: 1, version: 3, deleting: true }).reconcile();
    expect(ends).toEqual(['closed', 'closed']);
    expect(kit.state).toEqual({ terminating: { traffic: 'draining' } });
    expect(kit.requests.admission.admit()).toBeLessThan(0);
    kit.complete(permit).reconcile();
    expect(kit.state).toEqual({ terminating: { traffic: 'drained' } });
    kit.gone().reconcile();
    expect(kit.state).toBe('gone');
  });

  it('that is deleted goes on with that after a crash', () => {
    const kit = new RevisionKit().serving(ip);
    const permit = kit.admit();
    kit.given({ version: 2, deleting: true }).reconcile();
    kit.restart({ version: 2, deleting: true }, { ip });
    expect(kit.state).toEqual({ terminating: { traffic: 'draining' } });
    expect(kit.table).toEqual({ [destOf(ip)]: 'draining' });
    kit.complete(permit).reconcile();
    expect(kit.state).toEqual({ terminating: { traffic: 'drained' } });
  });

  it('takes limits over while it serves (H-9)', () => {
    const kit = new RevisionKit().serving(ip).given({ limit: 3, version: 2 }).reconcile();
    expect(kit.requests.admission.table.limit).toBe(3);
    kit.given({ limit: 3, version: 3 }).reconcile();
    expect(kit.instructed.filter((type) => type === 'setLimits')).toHaveLength(1);
  });

  it('says nothing to its table of endpoints that are the same (T-9, H-57)', () => {
    const kit = new RevisionKit().serving(ip);
    const before = kit.instructed.length;
    kit.listed({ ip }).reconcile();
    expect(kit.instructed).toHaveLength(before);
  });

  it('names the port that its endpoints lack', () => {
    const annotations = { 'coppice.dev/port': 'web' };
    const kit = new RevisionKit().given({ annotations }).listed({ ip }).reconcile();
    expect(kit.why).toEqual(['the endpoints of Service hello-private have no port web']);
  });
});

describe('The settings of a revision', () => {
  it('have their defaults in one place, in microseconds (R-28)', () => {
    expect(defaultSettings).toEqual({
      address: '',
      validationTick: 200_000,
      validationQuickFor: 30_000_000,
      validationSlowest: 5_000_000,
      validationPatience: 5_000_000,
      recovery: 10_000_000,
      failuresToDemote: 1,
      staleAfter: 600_000_000,
      staleTick: 60_000_000,
      drainGrace: 30_000_000,
      demandTick: 1_000_000,
    });
  });

  it('are in a type of their own, so that seconds are not taken for them (R-11)', () => {
    // @ts-expect-error -- A plain number: nobody knows of what.
    const settings: Partial<ActivatorSettings> = { recovery: 10 };
    expect({ ...defaultSettings, ...settings }.recovery).toBe(10);
  });
});

describe('Reading a Revision', () => {
  it('finds Service, port, limits and whether the pod may answer for itself', () => {
    const object = revisionObject({
      limit: 3,
      timeoutSeconds: 60,
      containers: [{ name: 'user', ports: [{ name: 'h2c', containerPort: 8080 }] }],
      annotations: { 'autoscaling.knative.dev/max-scale': '7' },
    });
    expect(readRevision(object)).toMatchObject({
      limit: 3,
      timeoutSeconds: 60,
      maxScale: 7,
      service: undefined,
      port: 'http2',
      policy: undefined,
      isEarly: true,
    });
    expect(readRevision({ ...object, spec: {} })).toMatchObject({ limit: 0, timeoutSeconds: 300 });
  });

  it('takes Service, port and policy of a Deployment from annotations', () => {
    const annotations = {
      'coppice.dev/service': 'web',
      'coppice.dev/port': 'main',
      'coppice.dev/load-balancing': 'least-loaded',
    };
    const read = { service: 'web', port: 'main', policy: 'least-loaded' };
    expect(readRevision(revisionObject({ annotations }))).toMatchObject(read);
  });

  it.each([
    ['spec.containerConcurrency', { limit: -1 }, 'is not a whole number from 0 to 2147483647'],
    ['spec.timeoutSeconds', { timeoutSeconds: 1.5 }, 'is not a whole number from 0 to 2147483647'],
    [
      'metadata.annotations["autoscaling.knative.dev/max-scale"]',
      { annotations: { 'autoscaling.knative.dev/max-scale': 'many' } },
      'is not a whole number from 0 to 2147483647',
    ],
    [
      'metadata.annotations["coppice.dev/load-balancing"]',
      { annotations: { 'coppice.dev/load-balancing': 'best' } },
      'is none of random, random-choice-2, first-available, round-robin, least-loaded',
    ],
  ])('names what is wrong with %s', (field, look, wrong) => {
    expect(readRevision(revisionObject(look))).toEqual({ malformed: `${field} ${wrong}` });
  });
});

describe('The endpoints of a revision', () => {
  const podsOf = (...slices: Parameters<typeof sliceObject>[0][]) =>
    Object.fromEntries(
      listedPods(
        slices.map((pods) => {
          const slice = readSlice(sliceObject(pods));
          if ('malformed' in slice) throw new Error(slice.malformed);
          return slice;
        }),
        'http',
      ),
    );

  it('are those of all slices, with IPv6 addresses in brackets (H-75)', () => {
    expect(podsOf([{ ip: 'fd00::1' }], [{ ip: '10.0.0.2', ready: false }])).toEqual({
      '[fd00::1]:8012': { id: 'pod-fd00::1', isReady: true },
      '10.0.0.2:8012': { id: 'pod-10.0.0.2', isReady: false },
    });
  });

  it('lack a pod that is on its way out', () => {
    expect(podsOf([{ ip, terminating: true }])).toEqual({});
  });

  it('have the ready one of two pods at an address', () => {
    const twice = { [destOf(ip)]: { id: 'new', isReady: true } };
    const old = { ip, id: 'old', ready: false };
    expect(podsOf([old], [{ ip, id: 'new' }])).toEqual(twice);
    expect(podsOf([{ ip, id: 'new' }], [old])).toEqual(twice);
  });

  it('go by the address where they do not say which pod it is', () => {
    expect(podsOf([{ ip, id: '' }])).toMatchObject({ [destOf(ip)]: { id: destOf(ip) } });
  });

  it('name what is wrong with a slice of no Service', () => {
    const { metadata, ...rest } = sliceObject([]);
    expect(readSlice({ ...rest, metadata: { ...metadata, labels: {} } })).toEqual({
      malformed: 'metadata.labels["kubernetes.io/service-name"] is not the name of a Service',
    });
  });
});
