// Spans from facts: from the edit of a spec to the last status, with what led to each.
import { describe, expect, test } from 'vitest';
import { traceContextAnnotation } from '#machines/kubernetes/trace-context.ts';
import { only, traced, type Traced } from './traced.ts';

async function deployed(setting: Traced = traced()): Promise<Traced> {
  const { world } = setting;
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
  await world.reconciled();
  world.readyPods();
  await world.reconciled();
  return setting;
}

const wroteOf = ({ world }: Traced) => world.facts.filter(({ what }) => what === 'wrote');

/** Names from a span to the first. */
function road({ spans }: Traced, from: string): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const names: string[] = [];
  for (let span = byId.get(from); span !== undefined; span = byId.get(span.parent?.spanId ?? '')) {
    names.push(span.name);
  }
  return names;
}

describe('A deploy', () => {
  test('is one trace, from the edit of the set to its last status', async () => {
    const setting = await deployed();
    const { spans, world } = setting;
    const root = only(spans.filter(({ parent }) => parent === undefined));
    expect(root.name).toBe('edit PodCliqueSet');
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
    const known = new Set(spans.map(({ spanId }) => spanId));
    expect(known.size).toBe(spans.length);
    expect(spans.filter(({ parent }) => parent && !known.has(parent.spanId))).toEqual([]);
    const last = world.facts.findLast(
      ({ what, about }) => what === 'wrote' && about.name === 'demo',
    );
    expect(last && setting.of(last)?.name).toBe('status PodCliqueSet');
  });

  test('has a span for each write, below the reconcile that asked for it', async () => {
    const setting = await deployed();
    const writes = wroteOf(setting);
    expect(setting.spans.filter(({ kind }) => kind === 'client')).toHaveLength(writes.length);
    for (const fact of writes) {
      const span = setting.of(fact);
      const parent = setting.spans.find(({ spanId }) => spanId === span?.parent?.spanId);
      expect(parent?.name).toMatch(/^reconcile /);
      expect(parent?.attributes).toMatchObject({
        'coppice.reconcile.id': fact.data['reconcileId'],
        'k8s.object.name': fact.about.name,
      });
    }
  });

  test('leads from the status of the set back to the edit, over the pod that became ready', async () => {
    const setting = await deployed();
    const last = setting.named('status PodCliqueSet').at(-1);
    expect(road(setting, last?.spanId ?? '')).toEqual([
      'status PodCliqueSet',
      'reconcile PodCliqueSet',
      'status PodClique',
      'reconcile PodClique',
      'create Pod',
      'reconcile PodClique',
      'create PodClique',
      'reconcile PodCliqueSet',
      'edit PodCliqueSet',
    ]);
  });

  test('has a span for each reconcile of which something came', async () => {
    const setting = await deployed();
    const asked = new Set(wroteOf(setting).map(({ data }) => data['reconcileId']));
    const spans = setting.spans.filter(({ name }) => name.startsWith('reconcile '));
    const ids = spans.map(({ attributes }) => attributes['coppice.reconcile.id']);
    expect([...asked].filter((id) => !ids.includes(String(id)))).toEqual([]);
    expect(spans.length).toBeLessThanOrEqual(setting.world.telemetry.calls.reconciled.length);
  });

  test('has everything else as events of the reconcile that it led to or happened in', async () => {
    const setting = await deployed();
    const names = setting.spans.flatMap(({ events }) => events.map(({ name }) => name));
    expect(new Set(names)).toEqual(new Set(['observed', 'transition', 'woken']));
    const others = setting.world.facts.filter(({ what }) => what !== 'wrote');
    // All but the edit.
    expect(names).toHaveLength(others.length - 1);
    const ready = only(
      setting.spans.filter(({ events }) =>
        events.some(({ attributes }) => attributes['coppice.observed.kind'] === 'Pod'),
      ),
    );
    expect(ready.name).toBe('reconcile PodClique');
  });

  test('says of each span what it is about', async () => {
    const setting = await deployed();
    expect(only(setting.named('edit PodCliqueSet')).attributes).toMatchObject({
      'k8s.namespace.name': 'default',
      'k8s.object.kind': 'PodCliqueSet',
      'k8s.object.name': 'demo',
    });
    expect(only(setting.named('create Pod')).attributes).toMatchObject({
      'k8s.namespace.name': 'default',
      'k8s.object.kind': 'Pod',
      'k8s.object.name': 'demo-0-0',
      'k8s.pod.name': 'demo-0-0',
      'coppice.write.operation': 'create',
      'coppice.write.outcome': 'ok',
    });
    expect(setting.named('reconcile PodClique')[0]?.attributes).toMatchObject({
      'k8s.object.name': 'demo-0',
      'coppice.controller': 'podclique-controller',
      'coppice.reconcile.outcome': 'ok',
    });
  });

  test('has no span that ends before it begins, or begins before its parent', async () => {
    const { spans } = await deployed();
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const { start, end, parent } of spans) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual(byId.get(parent?.spanId ?? '')?.start ?? 0);
    }
  });
});

describe('A failure', () => {
  test('of a write is an error with its code and message', async () => {
    const setting = traced();
    setting.world.cluster.fault = ({ op }) =>
      op === 'status' ? { type: 'refuse', code: 'FORBIDDEN' } : undefined;
    await deployed(setting);
    const [span] = setting.named('status PodCliqueSet');
    expect(span?.attributes).toMatchObject({
      'coppice.write.outcome': 'FORBIDDEN',
      'error.type': 'FORBIDDEN',
    });
    expect(span?.error).toBe(
      wroteOf(setting).find(({ data }) => data['outcome'] === 'FORBIDDEN')?.data['message'],
    );
  });

  test('of a state machine is an error of its reconcile', async () => {
    const setting = traced();
    const { world } = setting;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'reconcile' } });
    await world.clock.advance(1);
    const [span] = setting.named('reconcile PodCliqueSet');
    expect(span).toMatchObject({
      error: 'Error: poisoned reconcile',
      attributes: { 'coppice.reconcile.outcome': 'error' },
    });
    expect(span?.events.map(({ name }) => name)).toContain('restarted');
  });
});

describe('A trace that is not sampled', () => {
  test('has no spans, and is decided once', async () => {
    const setting = await deployed(traced(() => false));
    expect(setting.spans).toEqual([]);
    expect(setting.asked).toHaveLength(1);
  });

  test('leaves others alone', async () => {
    const first = new Set<string>();
    const setting = traced((traceId) => first.size > 0 && first.add(traceId).size > 0);
    await deployed(setting);
    first.add('');
    setting.world.cluster.apply('PodCliqueSet', 'other', { spec: { replicas: 1, pods: 1 } });
    await setting.world.reconciled();
    const names = setting.spans.map(({ attributes }) => String(attributes['k8s.object.name']));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !name.startsWith('other'))).toEqual([]);
  });
});

describe('The trace of a client', () => {
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const annotations = { [traceContextAnnotation]: JSON.stringify({ traceparent: parent }) };
  const apply = ({ world }: Traced, replicas: number): void =>
    void world.cluster.apply(
      'PodCliqueSet',
      'demo',
      { spec: { replicas, pods: 1 } },
      { annotations },
    );

  test('goes on with the edit that put the object into it (spec agent-sandbox 2.7)', async () => {
    const setting = traced();
    apply(setting, 1);
    await setting.world.reconciled();
    const traceId = 'a'.repeat(32);
    expect(setting.spans.filter((span) => span.traceId !== traceId)).toEqual([]);
    expect(setting.asked).toEqual([
      [traceId, 'observed', { traceId, spanId: 'b'.repeat(16), isSampled: true }],
    ]);
    expect(only(setting.named('edit PodCliqueSet'))).toMatchObject({
      parent: { traceId, spanId: 'b'.repeat(16) },
      isRemote: true,
    });
    expect(setting.named('create PodClique')).toHaveLength(1);
  });

  test('ends with the next edit, which has not put it there', async () => {
    const setting = traced();
    apply(setting, 1);
    await setting.world.reconciled();
    setting.spans.length = 0;
    apply(setting, 2);
    await setting.world.reconciled();
    const root = only(setting.named('edit PodCliqueSet'));
    expect(root.parent).toBeUndefined();
    expect(new Set(setting.spans.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  });
});

describe('What leads to nothing', () => {
  test('is no span: a look at a deadline', async () => {
    const setting = traced();
    const { world } = setting;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'wake' } });
    await world.clock.advance(1_000);
    const before = setting.spans.length;
    const { reconciled } = world.telemetry.calls;
    const looks = reconciled.length;
    await world.clock.advance(60_000);
    expect(reconciled.length).toBeGreaterThan(looks + 5);
    expect(setting.spans.length).toBe(before);
  });

  test('is no span: what was found at a start and needs nothing', async () => {
    const first = await deployed();
    await first.world.system.stop();
    first.spans.length = 0;
    first.world.restart();
    await first.world.reconciled();
    expect(first.spans).toEqual([]);
  });
});

describe('The end of an actor', () => {
  test('is an event of its last reconcile', async () => {
    const setting = await deployed();
    setting.spans.length = 0;
    setting.world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await setting.world.reconciled();
    const ends = setting.spans.filter(({ events }) => events.some(({ name }) => name === 'ended'));
    expect(ends.map(({ name }) => name).toSorted()).toEqual([
      'reconcile PodClique',
      'reconcile PodCliqueSet',
    ]);
  });

  test('is a span where it does not reconcile any more', async () => {
    const setting = traced();
    const { world } = setting;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'reconcile' } });
    await world.clock.advance(1);
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.clock.advance(1);
    const span = only(setting.named('end PodCliqueSet'));
    expect(span.events.map(({ name }) => name)).toEqual(['ended']);
  });
});
