// The fake cluster is honest where the runtime relies on it.
import { describe, expect, it } from 'vitest';
import type { Observation, Write, WriteOutcome } from '#actors/ports.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { FakeCluster } from './fake-cluster.ts';
import { VirtualClock } from './virtual-clock.ts';

const ref = { kind: 'PodClique', namespace: 'default', name: 'a' } as const;

function bench() {
  const clock = new VirtualClock();
  const cluster = new FakeCluster(clock);
  const seen: string[] = [];
  cluster.watch = (each: Observation) =>
    seen.push(each.type === 'seen' ? `seen ${each.object.metadata.name}` : `gone ${each.ref.name}`);
  const write = async (each: Write): Promise<WriteOutcome> => {
    const outcome = cluster.write(each).catch((error: unknown) => ({ rejected: String(error) }));
    await clock.advance(10);
    const answer = await outcome;
    if ('rejected' in answer) throw new Error(answer.rejected);
    return answer;
  };
  const made = cluster.apply('PodClique', 'a', { spec: { replicas: 1 } });
  return { clock, cluster, seen, write, made };
}

const statusOf = (object: KubeObject, uid = object.metadata.uid ?? '') =>
  ({
    op: 'status',
    ref,
    body: { ...object, metadata: { ...object.metadata, uid }, status: { ready: 1 } },
  }) as const;

describe('The fake cluster', () => {
  it('counts generations with the spec, not with status or labels', () => {
    const { cluster } = bench();
    cluster.setStatus(ref, { ready: 1 });
    cluster.apply('PodClique', 'a', { spec: { replicas: 1 } }, { labels: { a: 'b' } });
    expect(cluster.get(ref)?.metadata.generation).toBe(1);
    cluster.apply('PodClique', 'a', { spec: { replicas: 2 } });
    expect(cluster.get(ref)?.metadata.generation).toBe(2);
    expect(cluster.get(ref)?.['status']).toEqual({ ready: 1 });
  });

  it('refuses another UID and another version', async () => {
    const { write, made, cluster } = bench();
    expect(await write(statusOf(made, 'other'))).toMatchObject({ ok: false, code: 'CONFLICT' });
    cluster.setStatus(ref, { ready: 9 });
    expect(await write(statusOf(made))).toMatchObject({ ok: false, code: 'CONFLICT' });
    expect(await write({ op: 'delete', ref, uid: 'other' })).toMatchObject({ code: 'CONFLICT' });
  });

  it('keeps status and the rest apart', async () => {
    const { write, made, cluster } = bench();
    await write({ ...statusOf(made), body: { ...statusOf(made).body, spec: { replicas: 7 } } });
    expect(cluster.get(ref)).toMatchObject({ spec: { replicas: 1 }, status: { ready: 1 } });
    const uid = made.metadata.uid ?? '';
    const patch = { metadata: { uid }, spec: { replicas: 3, x: null }, status: { ready: 5 } };
    await write({ op: 'patch', ref, patch });
    expect(cluster.get(ref)).toMatchObject({ spec: { replicas: 3 }, status: { ready: 1 } });
  });

  it('holds an object with finalizers until they are gone, and collects what it owned', async () => {
    const { write, cluster, seen, made } = bench();
    const uid = made.metadata.uid ?? '';
    cluster.apply('PodClique', 'a', {}, { finalizers: ['hold'] });
    const owner = { apiVersion: 'x', kind: 'PodClique', name: 'a', uid, controller: true };
    cluster.apply('Pod', 'p', {}, { ownerReferences: [owner] });
    expect(await write({ op: 'delete', ref, uid })).toMatchObject({ ok: true });
    expect(cluster.get(ref)?.metadata.deletionTimestamp).toBeDefined();
    await write({ op: 'patch', ref, patch: { metadata: { uid, finalizers: [] } } });
    expect(cluster.list()).toEqual([]);
    expect(seen.slice(-2)).toEqual(['gone a', 'gone p']);
  });

  it('does nothing, and shows nothing, for a write that changes nothing', async () => {
    const { write, made, seen, cluster } = bench();
    const before = seen.length;
    const uid = made.metadata.uid ?? '';
    await write({ op: 'patch', ref, patch: { metadata: { uid }, spec: { replicas: 1 } } });
    expect(cluster.get(ref)?.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect(seen).toHaveLength(before);
  });

  it('injects faults: refused before, lost after, late, rejected', async () => {
    const { write, cluster, clock } = bench();
    const create: Write = {
      op: 'create',
      ref: { ...ref, name: 'b' },
      body: { apiVersion: 'x', kind: 'PodClique', metadata: { name: 'b', namespace: 'default' } },
    };
    cluster.fault = () => ({ type: 'refuse', code: 'THROTTLED', retryAfterMs: 5 });
    expect(await write(create)).toMatchObject({ code: 'THROTTLED', retryAfterMs: 5 });
    expect(cluster.list()).toHaveLength(1);
    cluster.fault = () => ({ type: 'lose' });
    expect(await write(create)).toMatchObject({ code: 'UNREACHABLE' });
    expect(cluster.list()).toHaveLength(2);
    cluster.fault = () => ({ type: 'reject' });
    await expect(write(create)).rejects.toThrow('the port rejected');
    cluster.fault = () => ({ type: 'delay', ms: 1_000 });
    const late = cluster.write(create);
    await clock.advance(900);
    expect(cluster.inFlight).toBe(1);
    await clock.advance(200);
    expect(await late).toMatchObject({ code: 'ALREADY_EXISTS' });
  });
});
