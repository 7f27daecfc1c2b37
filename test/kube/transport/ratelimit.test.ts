// Token bucket, gate and both together around a transport.
import { expect, test } from 'vitest';
import { Gate, limited, TokenBucket } from '#src/kube/transport/ratelimit.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

test('a bucket lets a burst through at once and then one token every 1/qps seconds', async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket(clock, { qps: 10, burst: 3 });
  expect([1, 2, 3, 4, 5].map(() => bucket.take())).toEqual([0, 0, 0, 100, 200]);
  await clock.advance(1_000);
  expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([0, 0, 0, 100]);
});

test('a bucket is not drained by a clock that is set back', () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket(clock, { qps: 1, burst: 2 });
  clock.jump(-3_600_000);
  expect(bucket.take()).toBe(0);
  expect(bucket.take()).toBe(0);
});

test.each([
  { qps: 0, burst: 1 },
  { qps: 5, burst: 0 },
  { qps: Number.NaN, burst: 1 },
])('a bucket with %j is refused', (limit) => {
  expect(() => new TokenBucket(new VirtualClock(), limit)).toThrow('qps must be above 0');
});

test('a gate bounds what is under way and lets in by age, also after failures (R67)', async () => {
  const gate = new Gate(2);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (name: string, fails = false): Promise<void> =>
    gate.pass(async () => {
      order.push(name);
      await new Promise<void>((end) => ends.push(end));
      if (fails) throw new Error(name);
    });
  const a = enter('a', true);
  const all = [enter('b'), enter('c'), enter('d')];
  expect(order).toEqual(['a', 'b']);
  expect(gate.waiting).toBe(2);
  ends[0]?.();
  await expect(a).rejects.toThrow('a');
  expect(order).toEqual(['a', 'b', 'c']);
  ends[1]?.();
  await all[0];
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  ends[2]?.();
  ends[3]?.();
  await Promise.all(all);
  expect(gate.waiting).toBe(0);
});

const pods = '/api/v1/namespaces/a/pods';
const services = '/api/v1/namespaces/a/services';

test('each resource has its own bucket, subresources included, and watches have none', async () => {
  const clock = new VirtualClock();
  const inner = new ScriptedTransport();
  const outer = limited(inner, clock, { rate: { qps: 1, burst: 1 }, maxInFlight: 10 });
  for (const path of [pods, `${pods}/x/status`, services])
    void outer.request({ method: 'GET', path });
  for (let times = 0; times < 3; times++) outer.watch(pods, { event() {}, closed() {} });
  await clock.drain();
  expect(inner.requests.map(({ path }) => path)).toEqual([pods, services]);
  expect(inner.watches).toHaveLength(3);
  await clock.advance(1_000);
  expect(inner.requests.map(({ path }) => path)).toEqual([pods, services, `${pods}/x/status`]);
});

test('without a rate only the bound in flight holds', async () => {
  const clock = new VirtualClock();
  const inner = new ScriptedTransport();
  const outer = limited(inner, clock, { maxInFlight: 2 });
  for (let times = 0; times < 3; times++) void outer.request({ method: 'GET', path: pods });
  await clock.drain();
  expect(inner.requests).toHaveLength(2);
  inner.requests[0]?.answer(200);
  await clock.drain();
  expect(inner.requests).toHaveLength(3);
});

test('a request that was aborted while it waited is never sent', async () => {
  const clock = new VirtualClock();
  const inner = new ScriptedTransport();
  const outer = limited(inner, clock, { rate: { qps: 1, burst: 1 }, maxInFlight: 1 });
  const abort = new AbortController();
  void outer.request({ method: 'GET', path: pods });
  const late = outer
    .request({ method: 'GET', path: pods, signal: abort.signal })
    .catch((error: unknown) => error);
  abort.abort();
  await clock.advance(2_000);
  expect(await late).toMatchObject({ name: 'AbortError' });
  expect(inner.requests).toHaveLength(1);
});
