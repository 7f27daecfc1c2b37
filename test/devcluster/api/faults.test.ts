// Every injected fault: what the client sees, and what became of the write.
import { describe, expect, test } from 'vitest';
import { configMap, configMaps, names, withBench } from './support.ts';

describe('a fault plan', () => {
  test('fails the n-th matching request, so many times, and no other', () =>
    withBench(async (bench) => {
      const rule = bench.faults.add({
        verb: 'create',
        kind: 'ConfigMap',
        nth: 2,
        times: 2,
        fault: { kind: 'error', code: 500, reason: 'InternalError' },
      });
      const codes: number[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        codes.push((await bench.post(configMaps, configMap(name))).status);
      }
      expect(codes).toEqual([201, 500, 500, 201]);
      expect(rule.fired()).toBe(2);
    }));

  test('matches by name, also in the body of a create', () =>
    withBench(async (bench) => {
      bench.faults.add({ name: 'b', times: 9, fault: { kind: 'error', code: 403 } });
      expect((await bench.post(configMaps, configMap('a'))).status).toBe(201);
      expect((await bench.post(configMaps, configMap('b'))).status).toBe(403);
    }));

  test('answers 429 with Retry-After', () =>
    withBench(async (bench) => {
      const fault = { kind: 'error', code: 429, retryAfterSeconds: 7 } as const;
      bench.faults.add({ fault });
      const { status, headers, body } = await bench.get(configMaps);
      expect(status).toBe(429);
      expect(headers['retry-after']).toBe('7');
      expect(body['details']).toEqual({ retryAfterSeconds: 7 });
    }));

  test('delays on the cluster’s clock', () =>
    withBench(async (bench) => {
      bench.faults.add({ fault: { kind: 'delay', ms: 5000 } });
      const start = bench.clock.now();
      await bench.get(configMaps);
      expect(bench.clock.now() - start).toBeGreaterThanOrEqual(5000);
    }));

  test('lets a caller give up while it waits; the write is done all the same', () =>
    withBench(async (bench) => {
      bench.faults.add({ verb: 'create', fault: { kind: 'delay', ms: 5000 } });
      const controller = new AbortController();
      const { signal } = controller;
      const body = configMap('late');
      const sent = bench.transport.request({ method: 'POST', path: configMaps, body, signal });
      controller.abort(new Error('given up'));
      await expect(sent).rejects.toThrow('given up');
      await bench.clock.advance(6000);
      expect(names((await bench.get(configMaps)).body)).toEqual(['late']);
    }));

  test('loses a reply after the commit, or the request before it', () =>
    withBench(async (bench) => {
      bench.faults.add({ verb: 'create', name: 'kept', fault: { kind: 'dropReply' } });
      bench.faults.add({ verb: 'create', name: 'lost', fault: { kind: 'dropRequest' } });
      await expect(bench.post(configMaps, configMap('kept'))).rejects.toThrow(/connection broke/);
      await expect(bench.post(configMaps, configMap('lost'))).rejects.toThrow(/connection broke/);
      expect(names((await bench.get(configMaps)).body)).toEqual(['kept']);
    }));

  test('breaks a watch after so many events, or so much time', () =>
    withBench(async (bench) => {
      const match = { verb: 'watch', kind: 'configmaps' };
      bench.faults.add({ ...match, fault: { kind: 'dropWatch', afterEvents: 1 } });
      bench.faults.add({ ...match, nth: 2, fault: { kind: 'dropWatch', afterMs: 3000 } });
      const first = bench.watch(`${configMaps}?watch=1`);
      const second = bench.watch(`${configMaps}?watch=1`);
      await bench.post(configMaps, configMap('a'));
      await bench.post(configMaps, configMap('b'));
      await bench.clock.advance(100);
      expect(first.seen).toHaveLength(1);
      expect(first.end).toMatchObject({ kind: 'ended', error: expect.any(Error) });
      expect(second.seen).toHaveLength(2);
      await bench.clock.advance(3000);
      expect(second.end).toMatchObject({ kind: 'ended' });
    }));

  test('delivers events late and in order', () =>
    withBench(async (bench) => {
      bench.faults.add({ verb: 'watch', fault: { kind: 'lagWatch', ms: 2000 } });
      const watched = bench.watch(`${configMaps}?watch=1`);
      for (const name of ['a', 'b', 'c']) await bench.post(configMaps, configMap(name));
      await bench.clock.advance(1500);
      expect(watched.seen).toEqual([]);
      await bench.clock.advance(1000);
      expect(watched.seen.map((each) => each.split('@')[0])).toEqual([
        'ADDED a',
        'ADDED b',
        'ADDED c',
      ]);
    }));

  test('expires lists and watches', () =>
    withBench(async (bench) => {
      bench.faults.add({ fault: { kind: 'expire' }, times: 2 });
      expect((await bench.get(configMaps)).status).toBe(410);
      const watched = bench.watch(`${configMaps}?watch=1`);
      await bench.clock.drain();
      expect(watched.objects).toEqual([expect.objectContaining({ code: 410 })]);
    }));

  test('shows a list as it was some writes ago', () =>
    withBench(async (bench) => {
      for (const name of ['a', 'b', 'c']) await bench.post(configMaps, configMap(name));
      bench.faults.add({ verb: 'list', fault: { kind: 'stale', versions: 2 } });
      expect(names((await bench.get(configMaps)).body)).toEqual(['a']);
      expect(names((await bench.get(configMaps)).body)).toEqual(['a', 'b', 'c']);
    }));

  test('with a rate draws from the cluster’s own randomness', () =>
    withBench(async (bench) => {
      const rule = { rate: 0.5, times: 200, fault: { kind: 'error', code: 503 } } as const;
      const { fired } = bench.faults.add(rule);
      for (let n = 0; n < 200; n++) await bench.get(configMaps);
      expect(fired()).toBeGreaterThan(60);
      expect(fired()).toBeLessThan(140);
    }));
});

describe('the request log', () => {
  test('counts by verb, resource and code', () =>
    withBench(async (bench) => {
      bench.cluster.requests.reset();
      const agents: string[] = [];
      bench.cluster.requests.onRequest(({ userAgent }) => agents.push(userAgent));
      await bench.post(configMaps, configMap('a'));
      await bench.post(configMaps, configMap('a'));
      await bench.get(`${configMaps}/a`);
      await bench.patch('/api/v1/namespaces/default/pods/x/status', {});
      expect(bench.cluster.requests.counts()).toEqual({
        'create configmaps 201': 1,
        'create configmaps 409': 1,
        'get configmaps 200': 1,
        'patch pods/status 404': 1,
      });
      expect(new Set(agents)).toEqual(new Set(['coppice-in-process']));
    }));
});
