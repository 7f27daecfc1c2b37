// The plan of a PodCliqueSet: what it wants for each replica, in which order, at what cost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/json.ts';
import type { JsonObject } from '#machines/objects.ts';
import { replicaAt, touchedIndices } from '#machines/podcliqueset/context.ts';
import { get, set } from '#machines/radix.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { acts, SetBench } from './sample.ts';

const cliques = [{ name: 'worker' }, { name: 'prefill-worker', replicas: 1, minAvailable: 1 }];

function deployed(replicas: number, template: JsonObject = {}): SetBench {
  const bench = new SetBench();
  bench.see(cliqueSet(replicas, cliques, template));
  for (let round = 0; round < 4; round++) bench.work();
  return bench;
}

const scale = (bench: SetBench, replicas: number, generation: number): void =>
  bench.change('PodCliqueSet', 'demo', { spec: { replicas }, metadata: { generation } });

const ready = (bench: SetBench, name: string, readyReplicas: number): void =>
  bench.change('PodClique', name, { status: { readyReplicas } });

describe('the plan of a PodCliqueSet', () => {
  it('goes replica by replica, and creates the PodGang when its PodCliques are there', () => {
    const bench = new SetBench();
    bench.see(cliqueSet(2, cliques));
    expect(acts(bench.work())).toEqual([
      'patchObject PodCliqueSet demo',
      'createObject ServiceAccount demo',
      'createObject Role grove.io:pcs:demo',
      'createObject RoleBinding grove.io:pcs:demo',
      'createObject Secret demo-ic-sat',
      'createObject Service demo-0',
      'createObject PodClique demo-0-worker',
      'createObject PodClique demo-0-prefill-worker',
      'createObject Service demo-1',
      'createObject PodClique demo-1-worker',
      'createObject PodClique demo-1-prefill-worker',
    ]);
    expect(acts(bench.work())).toEqual([
      'createObject PodGang demo-0',
      'createObject PodGang demo-1',
    ]);
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
          expect(acts(bench.settle())).toEqual([]);
          expect(bench.context.totals).toMatchObject({ pending: 0 });
          bench.context = { ...bench.context, plannedFor: undefined };
          expect(acts(bench.settle())).toEqual([]);
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

  it('deletes surplus replicas by index, highest first, whatever else is missing', () => {
    const bench = deployed(4);
    bench.lose('PodClique', 'demo-0-worker');
    scale(bench, 2, 2);
    const intents = bench.settle();
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
      ...cliqueSet(1, cliques),
      metadata: { ...cliqueSet(1).metadata, uid: 'another' },
    });
    expect(acts(bench.settle())).toEqual(['patchObject PodCliqueSet demo']);
    bench.lose('Service', 'demo-0');
    bench.lose('PodClique', 'demo-0-worker');
    expect(acts(bench.settle())).toEqual([
      'patchObject PodCliqueSet demo',
      'createObject Service demo-0',
      'createObject PodClique demo-0-worker',
    ]);
  });

  it('costs what was touched: it looks at no other of 5,000 replicas and copies none', () => {
    const bench = deployed(5_000);
    const trap = new Proxy(replicaAt(bench.context, 17), {
      get: () => {
        throw new Error('replica 17 was looked at');
      },
    });
    const { replicas } = bench.context;
    bench.context = { ...bench.context, replicas: set(replicas, 17, trap) };
    ready(bench, 'demo-4321-worker', 2);
    expect(touchedIndices(bench.context)).toEqual([4321]);
    bench.settle();
    expect(replicaAt(bench.context, 4321).isTouched).toBe(false);
    expect(get(bench.context.replicas, 4322)).toBe(get(replicas, 4322));
    expect(get(bench.context.replicas, 4321)).not.toBe(get(replicas, 4321));
  });

  it('keeps sums by difference that equal a recount, whatever comes and goes', () => {
    const change = fc.record({
      replica: fc.nat(4),
      clique: fc.constantFrom('worker', 'prefill-worker'),
      ready: fc.nat(3),
      what: fc.constantFrom('ready', 'lose', 'scale', 'work', 'settle', 'touch'),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const bench = deployed(3);
        for (const [index, { replica, clique, ready: many, what }] of changes.entries()) {
          if (what === 'ready') ready(bench, `demo-${replica}-${clique}`, many);
          if (what === 'lose') bench.lose('PodClique', `demo-${replica}-${clique}`);
          if (what === 'scale') scale(bench, replica, index + 2);
          if (what === 'work') bench.work();
          if (what === 'settle') bench.settle();
          if (what === 'touch') {
            const ref = { kind: 'Service', namespace: 'demo', name: `demo-${replica}` } as const;
            bench.send({ type: 'effect.retry', ref });
          }
        }
        bench.settle();
        const kept = bench.context.totals;
        bench.context = { ...bench.context, plannedFor: undefined };
        bench.settle();
        expect(bench.context.totals).toEqual(kept);
      }),
    );
  });
});

describe('patches to children', () => {
  it('of a Service touch only the fields that are ours', () => {
    const bench = deployed(1);
    bench.change('Service', 'demo-0', {
      spec: { clusterIPs: ['None'], type: 'ClusterIP', sessionAffinity: 'None' },
    });
    expect(acts(bench.settle())).toEqual([]);
    bench.change('Service', 'demo-0', { spec: { publishNotReadyAddresses: false } });
    const patch = bench.work().find(({ type }) => type === 'patchObject');
    expect(patch).toMatchObject({ patch: { spec: { publishNotReadyAddresses: true } } });
    expect(acts(bench.settle())).toEqual([]);
  });

  it('of a PodClique never touch its replicas', () => {
    const bench = deployed(1);
    bench.change('PodClique', 'demo-0-worker', {
      spec: { replicas: 7, podSpec: { hostNetwork: true } },
      metadata: { generation: 2 },
    });
    expect(acts(bench.settle())).toEqual([]);
    const image = { containers: [{ name: 'main', image: 'other' }] };
    const template = { cliques: [{ name: 'worker', spec: { roleName: 'w', podSpec: image } }] };
    bench.change('PodCliqueSet', 'demo', { spec: { template }, metadata: { generation: 2 } });
    bench.work();
    const worker = bench.objects.get('PodClique/demo/demo-0-worker');
    expect(worker?.['spec']).toMatchObject({ replicas: 7, podSpec: image });
    // What the template does not have any more, or never had, is gone with the new hash.
    expect(at(worker, 'spec', 'podSpec', 'hostNetwork')).toBeUndefined();
    expect(worker?.metadata.labels?.['role']).toBeUndefined();
    bench.work();
    expect(acts(bench.settle())).toEqual([]);
  });

  it('of a PodGang mirror labels and keep what is the operator’s, KAI’s, or a scheduler’s', () => {
    const bench = deployed(1);
    bench.change('PodGang', 'demo-0', {
      metadata: {
        labels: { 'grove.io/mark': 'x', foreign: 'y' },
        annotations: { 'kai.scheduler/skip-podgrouper': 'true', foreign: 'y' },
      },
      spec: { reuseReservationRef: { name: 'r' } },
    });
    bench.change('PodCliqueSet', 'demo', {
      metadata: { labels: { team: 'red', 'grove.io/own': 'z' }, annotations: { note: 'n' } },
    });
    bench.work();
    const gang = bench.objects.get('PodGang/demo/demo-0');
    expect(gang?.metadata.labels).toMatchObject({ team: 'red', 'grove.io/mark': 'x' });
    expect(gang?.metadata.labels).not.toHaveProperty('foreign');
    expect(gang?.metadata.labels).not.toHaveProperty('grove.io/own');
    expect(gang?.metadata.annotations).toEqual({
      'kai.scheduler/skip-podgrouper': 'true',
      note: 'n',
    });
    expect(gang?.['spec']).toMatchObject({ reuseReservationRef: { name: 'r' } });
    expect(acts(bench.settle())).toEqual([]);
  });

  it('of a PodGang keep its pod references when minReplicas is put right', () => {
    const bench = deployed(1);
    const gang = bench.objects.get('PodGang/demo/demo-0');
    const groups = list(at(gang, 'spec', 'podgroups'));
    const references = at(groups[0], 'podReferences');
    const wrong = groups.map((group) => ({ ...Object(group), minReplicas: 9, extra: 1 }));
    bench.change('PodGang', 'demo-0', { spec: { podgroups: wrong }, metadata: { generation: 2 } });
    const patch = bench.work().find(({ type }) => type === 'patchObject');
    expect(patch).toHaveProperty('resourceVersion');
    const fixed = list(at(bench.objects.get('PodGang/demo/demo-0'), 'spec', 'podgroups'))[0];
    expect(fixed).toMatchObject({ minReplicas: 2, podReferences: references, extra: 1 });
  });
});

describe('start-up order', () => {
  const startsAfter = (bench: SetBench, name: string): unknown =>
    at(bench.objects.get(`PodClique/demo/${name}`), 'spec', 'startsAfter');

  it('in order follows the list, any order has none', () => {
    const inOrder = deployed(2, { cliqueStartupType: 'CliqueStartupTypeInOrder' });
    expect(startsAfter(inOrder, 'demo-1-worker')).toBeUndefined();
    expect(startsAfter(inOrder, 'demo-1-prefill-worker')).toEqual(['demo-1-worker']);
    expect(startsAfter(deployed(1), 'demo-0-prefill-worker')).toBeUndefined();
  });

  it('explicit follows the names given', () => {
    const bench = new SetBench();
    const given = [{ name: 'a' }, { name: 'b' }, { name: 'c', startsAfter: ['a', 'b'] }];
    bench.see(cliqueSet(1, given, { cliqueStartupType: 'CliqueStartupTypeExplicit' }));
    bench.work();
    expect(startsAfter(bench, 'demo-0-c')).toEqual(['demo-0-a', 'demo-0-b']);
  });
});

describe('the Secret of an older release', () => {
  const legacy = (bench: SetBench): void => {
    const { metadata } = bench.objects.get('Secret/demo/demo-ic-sat') ?? cliqueSet(1);
    const { uid: _, ...meta } = metadata;
    bench.see({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...meta, name: 'demo-initc-sa-token-secret' },
    });
  };

  it('goes when the new one has a token and no pod mounts the old one', () => {
    const bench = deployed(1);
    legacy(bench);
    expect(acts(bench.settle())).toEqual([]);
    bench.send({ type: 'legacyPod.observed', name: 'p' });
    bench.change('Secret', 'demo-ic-sat', { data: { token: 'dA==' } });
    expect(acts(bench.settle())).toEqual([]);
    bench.send({ type: 'legacyPod.gone', name: 'p' });
    expect(acts(bench.settle())).toEqual(['deleteObject Secret demo-initc-sa-token-secret']);
  });
});

describe('a spec that cannot be acted upon', () => {
  const errorsOf = (bench: SetBench): readonly unknown[] => {
    const write = bench.settle().find(({ type }) => type === 'writeStatus');
    return list(at(write, 'status', 'lastErrors')).map((error) => at(error, 'description'));
  };

  it('is reported and nothing is planned for it', () => {
    const twice = new SetBench();
    twice.see(cliqueSet(1, [{ name: 'a' }, { name: 'a' }]));
    expect(errorsOf(twice)).toEqual([expect.stringContaining('two named "a"')]);
    expect(acts(twice.settle()).filter((act) => act.includes('PodClique '))).toEqual([]);
    const huge = new SetBench();
    huge.see(cliqueSet(2_147_483_647, [{ name: 'a' }]));
    expect(errorsOf(huge)).toEqual([expect.stringContaining('at most 50000 are handled')]);
    const groups = new SetBench();
    groups.see(cliqueSet(1, cliques, { podCliqueScalingGroups: [{ name: 'g' }] }));
    expect(errorsOf(groups)).toEqual([expect.stringContaining('podCliqueScalingGroups (g)')]);
  });
});
