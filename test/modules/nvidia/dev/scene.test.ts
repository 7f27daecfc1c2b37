// What `coppice dev` shows of ComputeDomains: when one is done, what it lacks, and how to go on.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { domainLabel } from '#machines/nvidia/objects/labels.ts';
import { nvidiaShow } from '#src/modules/nvidia/dev/dev.ts';
import { Scene } from '#src/modules/nvidia/dev/scene.ts';

const apiVersion = 'resource.nvidia.com/v1beta1';

const node = (name: string, status = 'Ready') => ({
  ...{ name, status, ipAddress: '10.0.0.1', cliqueID: 'c.0', index: 0 },
});

class Stage extends Scene {
  domain(numNodes: number, status: JsonObject): this {
    const metadata = { name: 'training', namespace: 'default', uid: 'd-1', resourceVersion: '1' };
    const spec = { numNodes, channel: { resourceClaimTemplate: { name: 'channel' } } };
    const object = { apiVersion, kind: 'ComputeDomain', metadata, spec, status };
    this.observe({ type: 'seen', kind: 'ComputeDomain', object });
    return this;
  }

  clique(...rows: readonly string[]): this {
    const daemons = rows.map((status, index) => ({
      ...{ nodeName: `node-${index}`, ipAddress: '10.0.0.1', cliqueID: 'c.0', index, status },
    }));
    const metadata = {
      ...{ name: 'd-1.c.0', namespace: 'driver', uid: 'c-1', resourceVersion: '1' },
      labels: { [domainLabel]: 'd-1' },
    };
    const object = { apiVersion, kind: 'ComputeDomainClique', metadata, daemons };
    this.observe({ type: 'seen', kind: 'ComputeDomainClique', object });
    return this;
  }

  get line() {
    const [line] = this.lines();
    return line;
  }
}

describe('A ComputeDomain', () => {
  test('is done once its nodes have joined, and all rows of its cliques are ready', () => {
    const stage = new Stage().domain(2, { status: 'NotReady', nodes: [node('a')] });
    expect(stage.line).toMatchObject({
      done: false,
      summary: 'domain default/training: 1/2 nodes ready, cliques: 0',
      trouble: ['1 of 2 nodes have joined'],
    });
    stage.domain(2, { status: 'Ready', nodes: [node('a'), node('b')] });
    stage.clique('Ready', 'NotReady');
    expect(stage.line).toMatchObject({
      done: false,
      trouble: ['rows of its cliques that are not ready: 1'],
    });
    stage.clique('Ready', 'Ready');
    expect(stage.line).toMatchObject({
      ...{ done: true, trouble: [] },
      summary: 'domain default/training: 2/2 nodes ready, cliques: 1',
    });
  });

  test('is painted with a mark for each node, also for those that are awaited', () => {
    const nodes = [node('a'), node('b', 'NotReady')];
    const painted = new Stage().domain(3, { status: 'NotReady', nodes }).paint();
    expect(painted).toEqual([
      'domain default/training: 1/3 nodes ready, cliques: 0',
      expect.stringMatching(/^ {2}█+░+$/),
      '  ●○·',
      '  ! 2 of 3 nodes have joined',
      '',
      expect.stringContaining('ready'),
    ]);
    expect(new Stage().paint()).toEqual([]);
  });

  test('is gone from the picture when it is gone, and what cannot be read is left out', () => {
    const stage = new Stage().domain(1, { status: 'NotReady' });
    const ref = { kind: 'ComputeDomain', namespace: 'default', name: 'training' } as const;
    stage.observe({ type: 'gone', ref, uid: 'd-1' });
    const object = { apiVersion, kind: 'ComputeDomain', metadata: { name: 'broken' } };
    stage.observe({ type: 'seen', kind: 'ComputeDomain', object });
    expect(stage.lines()).toEqual([]);
  });

  test('is awaited, and asked why', () => {
    expect(['ComputeDomain', 'ComputeDomainClique'].map(nvidiaShow.isAwaited)).toEqual([
      true,
      false,
    ]);
    const applied = [{ kind: 'ComputeDomain', key: 'default/training' }];
    expect(nvidiaShow.nextSteps(applied)).toEqual({
      kubectl: ['kubectl get computedomains,computedomaincliques -A'],
      about: { kind: 'computedomain', namespace: 'default', name: 'training' },
    });
    expect(nvidiaShow.nextSteps([])).toMatchObject({ about: undefined });
  });
});
