// The plan of a PodCliqueSet: what it wants for each replica, in which order, at what cost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { get, set } from '#machines/grove/children/radix.ts';
import { replicaAt } from '#machines/grove/children/replicas.ts';
import { replicasIn } from '#machines/grove/podcliqueset/context.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { acts, deployed, now, SetBench, twoCliques } from './sample.ts';

const scale = (bench: SetBench, replicas: number, generation: number): void =>
  bench.change('PodCliqueSet', 'demo', { spec: { replicas }, metadata: { generation } });

const ready = (bench: SetBench, name: string, readyReplicas: number): void =>
  bench.change('PodClique', name, { status: { readyReplicas } });

describe('the plan of a PodCliqueSet', () => {
  it('goes replica by replica, and creates the PodGang when its PodCliques are there', () => {
    const bench = new SetBench();
    bench.see(cliqueSet(2, twoCliques));
    expect(acts(bench.work())).toEqual([
      'patchObject PodCliqueSet demo',
      'createObject ServiceAccount demo',
      'createObject Role grove.io:pcs:demo',
      'createObject Service demo-0',
      'createObject PodClique demo-0-worker',
      'createObject PodClique demo-0-prefill-worker',
      'createObject Service demo-1',
      'createObject PodClique demo-1-worker',
      'createObject PodClique demo-1-prefill-worker',
    ]);
    expect(acts(bench.work())).toEqual([
      'createObject RoleBinding grove.io:pcs:demo',
      'createObject Secret demo-ic-sat',
      'createObject PodGang demo-0',
      'createObject PodGang demo-1',
    ]);
    expect(acts(bench.work())).toEqual(['patchObject PodCliqueSet demo']);
    expect(acts(bench.work())).toEqual([]);
  });

  it('is idempotent: once its intents are done it wants nothing, for any number and template', () => {
    fc.assert(
      fc.property(
        fc.nat(6),
        fc.constantFrom(
          {},
          { priorityClassName: 'high' },
          { cliqueStartupType: 'CliqueStartupTypeInOrder' },
        ),
        (replicas, template) => {
          const bench = deployed(replicas, template);
          expect(acts(bench.stabilize())).toEqual([]);
          expect(replicasIn(bench.context, 'children.pending')).toBe(0);
          bench.context = { ...bench.context, planned: undefined };
          expect(acts(bench.stabilize())).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('lists in a new PodGang the names that its PodCliques will use, sorted', () => {
    const bench = deployed(1);
    const gang = bench.objects.get('PodGang/demo/demo-0');
    const [worker, prefill] = list(at(gang, 'spec', 'podgroups'));
    expect(at(worker, 'name')).toBe('demo-0-worker');
    expect(at(worker, 'minReplicas')).toBe(2);
    const names = list(at(worker, 'podReferences')).map((one) => String(at(one, 'name')));
    expect(names).toHaveLength(2);
    expect(names).toEqual(names.toSorted());
    expect(list(at(prefill, 'podReferences'))).toHaveLength(1);
    expect(gang?.metadata.labels).toEqual({
      team: 'blue',
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'demo',
      'app.kubernetes.io/component': 'podgang',
      'grove.io/scheduler-name': 'default-scheduler',
    });
  });

  it('deletes surplus replicas by index, highest first, whatever else is missing (10.2 gaps 8, 10)', () => {
    const bench = deployed(4);
    bench.lose('PodClique', 'demo-0-worker');
    scale(bench, 2, 2);
    const intents = bench.stabilize();
    expect(acts(intents).filter((act) => act.startsWith('delete'))).toEqual([
      'deleteObject PodClique demo-3-worker',
      'deleteObject PodClique demo-3-prefill-worker',
      'deleteObject PodGang demo-3',
      'deleteObject Service demo-3',
      'deleteObject PodClique demo-2-worker',
      'deleteObject PodClique demo-2-prefill-worker',
      'deleteObject PodGang demo-2',
      'deleteObject Service demo-2',
    ]);
    expect(acts(intents)).toContain('createObject PodClique demo-0-worker');
    expect(intents.filter(({ type }) => type === 'recordEvent')).toHaveLength(1);
  });

  it('leaves children of an earlier set of this name alone and waits for them', () => {
    const bench = deployed(1);
    bench.see({
      ...cliqueSet(1, twoCliques),
      metadata: { ...cliqueSet(1).metadata, uid: 'another' },
    });
    expect(acts(bench.stabilize())).toEqual(['patchObject PodCliqueSet demo']);
    bench.lose('Service', 'demo-0');
    bench.lose('PodClique', 'demo-0-worker');
    expect(acts(bench.stabilize())).toEqual([
      'patchObject PodCliqueSet demo',
      'createObject Service demo-0',
      'createObject PodClique demo-0-worker',
    ]);
  });

  it('costs what was touched: it looks at no other of 5,000 replicas and copies none (10.1 rule 54)', () => {
    const bench = deployed(5_000);
    const trap = new Proxy(replicaAt(bench.context, 17), {
      get: () => {
        throw new Error('replica 17 was looked at');
      },
    });
    const { replicas } = bench.context;
    bench.context = { ...bench.context, replicas: set(replicas, 17, trap) };
    ready(bench, 'demo-4321-worker', 2);
    expect(bench.context.touched).toEqual({ index: 4321, rest: undefined });
    bench.stabilize();
    expect(replicaAt(bench.context, 4321).isTouched).toBe(false);
    expect(get(bench.context.replicas, 4322)).toBe(get(replicas, 4322));
    expect(get(bench.context.replicas, 4321)).not.toBe(get(replicas, 4321));
  });

  it('plans the replicas that come or go by another number, and no other', () => {
    const bench = deployed(300);
    const trap = new Proxy(replicaAt(bench.context, 17), {
      get: () => {
        throw new Error('replica 17 was looked at');
      },
    });
    const { replicas } = bench.context;
    bench.context = { ...bench.context, replicas: set(replicas, 17, trap) };
    scale(bench, 302, 2);
    expect(acts(bench.work()).filter((act) => act.includes('Service'))).toEqual([
      'createObject Service demo-300',
      'createObject Service demo-301',
    ]);
    for (let round = 0; round < 3; round++) bench.work();
    expect(replicasIn(bench.context, 'children.pending')).toBe(0);
    scale(bench, 299, 3);
    const deleted = acts(bench.work()).filter((act) => act.startsWith('deleteObject Service'));
    expect(deleted).toEqual([301, 300, 299].map((index) => `deleteObject Service demo-${index}`));
    bench.work();
    expect(get(bench.context.replicas, 299)).toBeUndefined();
    expect(replicasIn(bench.context, 'children.complete')).toBe(299);
  });

  it('gives every replica a new chance with a new spec where a write was refused', () => {
    const bench = deployed(3);
    bench.lose('Service', 'demo-1');
    bench.stabilize();
    const ref = { kind: 'Service', namespace: 'demo', name: 'demo-1' } as const;
    const failure = {
      op: 'create',
      ref,
      code: 'INVALID',
      message: 'no',
      now,
      retryAt: null,
    } as const;
    bench.send({ type: 'effect.failed', ...failure });
    bench.stabilize();
    expect(bench.context.errors).toHaveLength(1);
    scale(bench, 4, 2);
    expect(acts(bench.work())).toContain('createObject Service demo-1');
    expect(bench.context.errors).toEqual([]);
  });

  it('keeps sums by difference that equal a recount, whatever comes and goes', () => {
    const change = fc.record({
      replica: fc.nat(4),
      clique: fc.constantFrom('worker', 'prefill-worker'),
      ready: fc.nat(3),
      what: fc.constantFrom('ready', 'lose', 'scale', 'work', 'reconcile', 'touch'),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const bench = deployed(3);
        for (const [index, { replica, clique, ready: many, what }] of changes.entries()) {
          if (what === 'ready') ready(bench, `demo-${replica}-${clique}`, many);
          if (what === 'lose') bench.lose('PodClique', `demo-${replica}-${clique}`);
          if (what === 'scale') scale(bench, replica, index + 2);
          if (what === 'work') bench.work();
          if (what === 'reconcile') bench.stabilize();
          if (what === 'touch') {
            const ref = { kind: 'Service', namespace: 'demo', name: `demo-${replica}` } as const;
            bench.send({ type: 'effect.retry', ref });
          }
        }
        bench.stabilize();
        const kept = bench.context.totals;
        bench.context = { ...bench.context, planned: undefined };
        bench.stabilize();
        expect(bench.context.totals).toEqual(kept);
      }),
    );
  });
});
