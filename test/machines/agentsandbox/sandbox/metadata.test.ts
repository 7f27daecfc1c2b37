// Labels and annotations of the pod of a Sandbox: what gets there, what is taken off, what stays,
// and when it is written.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { podRef, sandboxRef } from '#test/support/agentsandbox/samples.ts';
import type { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import { begun, edit, mapOf, readyBox, suspend, writesOf } from './kit.ts';

const withMetadata = (metadata: JsonObject): JsonObject => ({
  podTemplate: { metadata, spec: { containers: [{ name: 'main', image: 'busybox:1' }] } },
});

const labelsOf = (world: AgentSandboxWorld) => mapOf(world, 'labels', 'Pod', 'box');
const annotationsOf = (world: AgentSandboxWorld) => mapOf(world, 'annotations', 'Pod', 'box');
const isLabelled = { [label.sandboxNameHash]: nameHash('box') };

describe('The pod of a Sandbox', () => {
  it('has what its template says, without reserved keys (R56)', () => {
    const world = begun({
      spec: withMetadata({
        labels: { team: 'a', app: 'x', [label.warmPool]: 'forged', [label.claimUid]: 'forged' },
        annotations: {
          note: 'b',
          [annotation.traceContext]: '{}',
          'extensions.agents.x-k8s.io/any': 'c',
        },
      }),
      metadata: { labels: { [label.createdBy]: 'somebody', [label.warmPool]: 'f' } },
    });
    expect(labelsOf(world)).toEqual({
      team: 'a',
      app: 'x',
      ...isLabelled,
      [label.createdBy]: 'unknown',
    });
    expect(annotationsOf(world)).toEqual({
      note: 'b',
      [annotation.propagatedLabels]: 'app,team',
      [annotation.propagatedAnnotations]: 'note',
    });
    expect(writesOf(world, () => world.restart().comeToRest())).toEqual([]);
  });

  it('follows its template, and keeps what others put there (R57, S2)', () => {
    const world = readyBox({
      spec: withMetadata({ labels: { team: 'a', app: 'x' }, annotations: { note: 'b' } }),
    });
    world.store.edit(podRef('box'), {
      metadata: { labels: { theirs: 'kept' }, annotations: { 'cni/ip': '1' } },
    });
    const writes = writesOf(world, () => {
      edit(world, {
        spec: {
          podTemplate: { metadata: { labels: { team: 'z', app: null }, annotations: null } },
        },
      });
    });
    expect(writes.filter((write) => write.startsWith('patch'))).toEqual(['patch SandboxPod box']);
    expect(labelsOf(world)).toEqual({ team: 'z', theirs: 'kept', ...isLabelled });
    expect(annotationsOf(world)).toEqual({ 'cni/ip': '1', [annotation.propagatedLabels]: 'team' });
    edit(world, { spec: { podTemplate: { metadata: { labels: null } } } });
    expect(annotationsOf(world)).toEqual({ 'cni/ip': '1' });
  });

  it('loses what old versions left there and other changes to what it is to have (R56)', () => {
    const world = readyBox({ spec: withMetadata({ labels: { team: 'a' } }) });
    world.store.edit(podRef('box'), {
      metadata: {
        labels: { [label.claimUid]: 'leaked', [label.templateRefHash]: 'x', team: 'changed' },
        annotations: {
          [annotation.propagatedLabels]: `${label.claimUid},${label.sandboxNameHash},team`,
        },
      },
    });
    world.comeToRest();
    expect(labelsOf(world)).toEqual({ team: 'a', ...isLabelled });
    expect(annotationsOf(world)).toEqual({ [annotation.propagatedLabels]: 'team' });
  });

  it('is left as it is while the Sandbox is suspended', () => {
    const world = suspend(readyBox());
    const writes = writesOf(world, () => {
      edit(world, { spec: { podTemplate: { metadata: { labels: { team: 'a' } } } } });
    });
    expect(writes).toEqual(['status Sandbox box']);
  });

  it('is known by the label again where somebody took it off (R49)', () => {
    const world = readyBox();
    world.store.edit(podRef('box'), { metadata: { labels: { [label.sandboxNameHash]: null } } });
    world.comeToRest();
    expect(labelsOf(world)).toEqual(isLabelled);
    expect(world.store.all('Pod')).toHaveLength(1);
  });
});

describe('Metadata that may wait', () => {
  const relabel = (world: AgentSandboxWorld, team: string): void => {
    world.store.edit(sandboxRef('box'), {
      spec: { podTemplate: { metadata: { labels: { team } } } },
    });
    world.comeToRest();
  };
  const patches = (writes: readonly string[]): number =>
    writes.filter((write) => write === 'patch SandboxPod box').length;

  it('is written once, as it is when the time since its first change is over (S5, S6, R62)', () => {
    const world = readyBox({ options: { settings: { writeBehindMs: 500 } } });
    const first = writesOf(world, () => {
      for (const team of ['a', 'b', 'c', 'd', 'e']) {
        relabel(world, team);
        world.pass(99);
      }
      world.comeToRest();
    });
    expect(patches(first)).toBe(0);
    expect(world.why('sandbox', 'box')).toEqual([
      'labels of pod box are to change; more may follow for a moment',
    ]);
    expect(patches(writesOf(world, () => world.pass(5).comeToRest()))).toBe(1);
    expect(labelsOf(world)).toMatchObject({ team: 'e' });
    // The next change has its time again.
    expect(patches(writesOf(world, () => relabel(world, 'f')))).toBe(0);
    expect(patches(writesOf(world, () => world.pass(500).comeToRest()))).toBe(1);
  });

  it('is not written at all where it is as before in time, and waits a second at most (S5, R62)', () => {
    const world = readyBox({ options: { settings: { writeBehindMs: 60_000 } } });
    relabel(world, 'a');
    world.pass(999).comeToRest();
    edit(world, { spec: { podTemplate: { metadata: { labels: null } } } });
    expect(patches(writesOf(world, () => world.pass(60_000).comeToRest()))).toBe(0);
    relabel(world, 'b');
    expect(patches(writesOf(world, () => world.pass(1_000).comeToRest()))).toBe(1);
  });

  it('waits again after a restart, and for no other write (R69)', () => {
    const world = readyBox({ options: { settings: { writeBehindMs: 500 } } });
    relabel(world, 'a');
    world.pass(400).restart().comeToRest();
    expect(patches(writesOf(world, () => world.pass(499).comeToRest()))).toBe(0);
    expect(patches(writesOf(world, () => world.pass(1).comeToRest()))).toBe(1);
    relabel(world, 'b');
    expect(writesOf(world, () => suspend(world))).toContain('delete SandboxPod box');
  });
});
