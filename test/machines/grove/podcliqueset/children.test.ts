// What a PodCliqueSet patches on its children and what it leaves alone, start-up order, the Secret
// of an older release, and specs that cannot be acted upon.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { acts, deployed, SetBench, twoCliques } from './sample.ts';

describe('patches to children', () => {
  it('of a Service touch only the fields that are ours', () => {
    const bench = deployed(1);
    bench.change('Service', 'demo-0', {
      spec: { clusterIPs: ['None'], type: 'ClusterIP', sessionAffinity: 'None' },
    });
    expect(acts(bench.stabilize())).toEqual([]);
    bench.change('Service', 'demo-0', { spec: { publishNotReadyAddresses: false } });
    const patch = bench.work().find(({ type }) => type === 'patchObject');
    expect(patch).toMatchObject({ patch: { spec: { publishNotReadyAddresses: true } } });
    expect(acts(bench.stabilize())).toEqual([]);
  });

  it('of a PodClique never touch its replicas (10.2 gap 14)', () => {
    const bench = deployed(1);
    bench.change('PodClique', 'demo-0-worker', {
      spec: { replicas: 7, podSpec: { hostNetwork: true } },
      metadata: { generation: 2 },
    });
    expect(acts(bench.stabilize())).toEqual([]);
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
    expect(acts(bench.stabilize())).toEqual([]);
  });

  it('of a PodClique keep labels and annotations of others when its template changes', () => {
    const bench = deployed(1);
    const foreign = { 'theirs/mark': 'x' };
    bench.change('PodClique', 'demo-0-worker', {
      metadata: { labels: foreign, annotations: foreign },
    });
    const edited = (labels: JsonObject, annotations: JsonObject, generation: number): void => {
      const cliques = [
        { name: 'worker', labels, annotations, spec: { roleName: 'w', podSpec: {} } },
      ];
      const spec = { template: { cliques } };
      bench.change('PodCliqueSet', 'demo', { spec, metadata: { generation } });
      bench.work();
    };
    const marks = () => bench.objects.get('PodClique/demo/demo-0-worker')?.metadata;
    edited({ a: '1', b: '1' }, { note: 'n' }, 2);
    expect(marks()?.labels).toMatchObject({ a: '1', b: '1', ...foreign });
    edited({ b: '2' }, {}, 3);
    expect(marks()?.labels).toMatchObject({ b: '2', ...foreign });
    expect(marks()?.labels).not.toHaveProperty('a');
    expect(marks()?.annotations).toMatchObject(foreign);
    expect(marks()?.annotations).not.toHaveProperty('note');
    expect(acts(bench.stabilize())).toEqual([]);
  });

  it('of a PodGang keep what others wrote and mirror what the set has and had (10.1 rule 23)', () => {
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
    const gang = () => bench.objects.get('PodGang/demo/demo-0');
    const foreign = { 'kai.scheduler/skip-podgrouper': 'true', foreign: 'y' };
    expect(gang()?.metadata.labels).toMatchObject({ team: 'red', 'grove.io/mark': 'x' });
    expect(gang()?.metadata.labels).toHaveProperty('foreign');
    expect(gang()?.metadata.labels).not.toHaveProperty('grove.io/own');
    expect(gang()?.metadata.annotations).toMatchObject({ ...foreign, note: 'n' });
    expect(gang()?.['spec']).toMatchObject({ reuseReservationRef: { name: 'r' } });
    expect(acts(bench.stabilize())).toEqual([]);
    bench.change('PodCliqueSet', 'demo', {
      metadata: { labels: { team: null }, annotations: { note: null } },
    });
    bench.work();
    expect(gang()?.metadata.labels).not.toHaveProperty('team');
    expect(gang()?.metadata.labels).toHaveProperty('foreign');
    expect(gang()?.metadata.annotations).toEqual(foreign);
    expect(acts(bench.stabilize())).toEqual([]);
  });

  it('of a PodGang keep its pod references when minReplicas is put right', () => {
    const bench = deployed(1);
    const gang = bench.objects.get('PodGang/demo/demo-0');
    const groups = list(at(gang, 'spec', 'podgroups'));
    const references = at(groups[0], 'podReferences');
    const wrong = groups.map((group) => ({ ...Object(group), minReplicas: 9, extra: 1 }));
    bench.change('PodGang', 'demo-0', { spec: { podgroups: wrong }, metadata: { generation: 2 } });
    bench.work();
    expect(bench.gangPatches).toEqual([
      expect.objectContaining({ resourceVersion: expect.any(String) }),
    ]);
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
    // The finalizer, then the token Secret.
    bench.work();
    bench.work();
    bench.work();
    expect(startsAfter(bench, 'demo-0-c')).toEqual(['demo-0-a', 'demo-0-b']);
  });
});

describe('scaling groups that cannot be', () => {
  const scaled = { autoScalingConfig: { maxReplicas: 3 } };

  it.each([
    ['a clique that is not there', [{ name: 'g', cliqueNames: ['x'] }], 'the clique "x", which'],
    [
      'two of one name',
      [
        { name: 'g', cliqueNames: [] },
        { name: 'g', cliqueNames: [] },
      ],
      'two named "g"',
    ],
    ['no name', [{ cliqueNames: ['worker'] }], 'one without a name'],
    ['a clique twice', [{ name: 'g', cliqueNames: ['worker', 'worker'] }], '"worker" twice'],
    [
      'a clique of another',
      [
        { name: 'g', cliqueNames: ['worker'] },
        { name: 'h', cliqueNames: ['worker'] },
      ],
      '"worker" twice',
    ],
    [
      'too many replicas',
      [{ name: 'g', cliqueNames: [], replicas: 9_999 }],
      'at most 5000 are handled',
    ],
    [
      'the name of a clique where both are autoscaled',
      [{ name: 'worker', cliqueNames: [], scaleConfig: { maxReplicas: 2 } }],
      'would share a name',
    ],
  ])('are reported with what is wrong: %s', (_, groups, text) => {
    const bench = new SetBench();
    const body = cliqueSet(1, twoCliques, { podCliqueScalingGroups: groups });
    const [worker] = list(at(body, 'spec', 'template', 'cliques'));
    Object.assign(Object(at(worker, 'spec')), scaled);
    bench.see(body);
    const write = bench.stabilize().find(({ type }) => type === 'writeStatus');
    const [error] = list(at(write, 'status', 'lastErrors'));
    expect(at(error, 'description')).toContain(text);
    expect(acts(bench.stabilize()).filter((act) => act.includes('PodClique'))).toEqual([
      'patchObject PodCliqueSet demo',
    ]);
  });
});

describe('a spec that cannot be acted upon', () => {
  const errorsOf = (bench: SetBench): readonly unknown[] => {
    const write = bench.stabilize().find(({ type }) => type === 'writeStatus');
    return list(at(write, 'status', 'lastErrors')).map((error) => at(error, 'description'));
  };

  it('is reported and nothing is planned for it', () => {
    const twice = new SetBench();
    twice.see(cliqueSet(1, [{ name: 'a' }, { name: 'a' }]));
    expect(errorsOf(twice)).toEqual([expect.stringContaining('two named "a"')]);
    expect(acts(twice.stabilize()).filter((act) => act.includes('PodClique '))).toEqual([]);
    const huge = new SetBench();
    huge.see(cliqueSet(2_147_483_647, [{ name: 'a' }]));
    expect(errorsOf(huge)).toEqual([expect.stringContaining('at most 5000 are handled')]);
  });
});
