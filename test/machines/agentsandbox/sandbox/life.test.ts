// The life of a Sandbox: what it costs until it is ready, suspended and resumed, and its end.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { readSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import type { ObservedSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import { sandboxByName } from '#machines/agentsandbox/views/objects.ts';
import {
  controllerOfKind,
  memberOf,
  podRef,
  running,
  sandboxRef,
} from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import {
  begun,
  conditions,
  edit,
  mapOf,
  ready,
  readyBox,
  readyOf,
  statusOf,
  there,
  writesOf,
} from './kit.ts';

describe('A Sandbox', () => {
  it('has one pod of its name, and is ready when that is (R49)', () => {
    const world = begun();
    expect(there(world, 'Pod', 'box')?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'Sandbox', name: 'box', uid: 'uid-1', controller: true }),
    ]);
    expect(mapOf(world, 'annotations', 'Sandbox', 'box')).toEqual({ [annotation.podName]: 'box' });
    expect(conditions(world)).toEqual({
      Ready: 'False DependenciesNotReady: Pod exists with phase: ',
      Suspended: 'False NotSuspended: Sandbox is not suspended',
      PodScheduled:
        'Unknown PodSchedulingUnknown: Pod has not reported a PodScheduled condition yet',
    });
    ready(world);
    expect(statusOf(world)).toMatchObject({
      selector: `${label.sandboxNameHash}=${nameHash('box')}`,
      podIPs: ['10.0.0.1'],
      nodeName: 'n1',
    });
    expect(conditions(world)).toEqual({
      Ready: 'True DependenciesReady: Pod is Ready',
      Suspended: 'False NotSuspended: Sandbox is not suspended',
      PodScheduled: 'True PodScheduled: ',
    });
    expect(world.why('sandbox', 'box')).toEqual(['Sandbox box is ready on node n1']);
    expect(writesOf(world, () => world.restart().comeToRest().pass(60_000).comeToRest())).toEqual(
      [],
    );
  });

  it('is made ready only once it names its pod (S4, R18)', () => {
    const world = new AgentSandboxWorld();
    world.store.create(memberOf('pool', 'box'));
    world.comeToRest();
    world.store.edit(sandboxRef('box'), {
      metadata: { annotations: { [annotation.podName]: null } },
    });
    world.deliverAll();
    world.store.edit(podRef('box'), {
      status: {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    world.deliverAll();
    expect(world.inFlight.map(({ type }) => type)).toEqual(['patchObject']);
    expect(world.why('sandbox', 'box').join()).toMatch(/name of its pod is about to be noted/);
    world.comeToRest();
    expect(readyOf(world)).toMatch(/^True/);
  });

  it('says nothing of a node alone, and is not ready without an address (S3, R59)', () => {
    const world = begun();
    const scheduled = { conditions: [{ type: 'PodScheduled', status: 'True' }] };
    world.store.edit(podRef('box'), { status: scheduled });
    world.comeToRest();
    const node = { spec: { nodeName: 'n1' } };
    expect(
      writesOf(world, () => {
        world.store.edit(podRef('box'), node);
        world.comeToRest();
      }),
    ).toEqual([]);
    const conditionsOfPod = [...scheduled.conditions, { type: 'Ready', status: 'True' }];
    world.store.edit(podRef('box'), { status: { phase: 'Running', conditions: conditionsOfPod } });
    world.comeToRest();
    expect(readyOf(world)).toBe('False DependenciesNotReady: Pod is Ready but has no podIPs yet');
    expect(world.why('sandbox', 'box')).toEqual(['pod box has no IP yet']);
    expect(statusOf(world)).toMatchObject({ nodeName: 'n1' });
  });

  it('says why its pod does not run', () => {
    const world = begun();
    world.store.edit(podRef('box'), {
      status: {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no nodes' },
        ],
      },
    });
    world.comeToRest();
    expect(conditions(world)['PodScheduled']).toBe('False Unschedulable: no nodes');
    expect(world.why('sandbox', 'box')).toEqual(['pod box is not scheduled: no nodes']);
  });
});

describe('A Sandbox that somebody else writes to', () => {
  it('has its status and its pod all the same, without a failed pass (R60)', () => {
    const decided: WriteIntent[] = [];
    const world = begun({ options: { decided: (intent) => decided.push(intent) } });
    world.store.edit(podRef('box'), { status: running });
    world.deliverAll();
    world.store.edit(sandboxRef('box'), {
      metadata: { labels: { theirs: 'x' } },
      spec: { podTemplate: { metadata: { labels: { team: 'a' } } } },
    });
    world.land(0, 'answered');
    expect(readyOf(world)).not.toMatch(/^True/);
    world.comeToRest();
    expect(readyOf(world)).toMatch(/^True/);
    expect(mapOf(world, 'labels', 'Pod', 'box')).toMatchObject({ team: 'a' });
    const patches = decided.filter(({ type }) => type === 'patchObject');
    expect(patches).toHaveLength(2);
    for (const patch of patches) expect(patch).not.toHaveProperty('resourceVersion');
  });

  it('says of its pod what that says, and of no other (R64)', () => {
    const world = readyBox();
    expect(statusOf(world)).toMatchObject({ nodeName: 'n1', podIPs: ['10.0.0.1'] });
    const ownerReferences = [controllerOfKind('Job', 'theirs', 'uid-x')];
    world.store.edit(podRef('box'), { metadata: { ownerReferences } });
    world.comeToRest();
    expect(conditions(world)).not.toHaveProperty('PodScheduled');
    expect(statusOf(world)).not.toHaveProperty('nodeName');
    expect(statusOf(world)).not.toHaveProperty('podIPs');
    expect(statusOf(world)).toHaveProperty('selector');
  });

  it('is read as it is, whatever of it has changed (R61)', () => {
    const seen = (status: object): ObservedSandbox => {
      const source = { ...memberOf('pool', 'box'), status };
      const metadata = { ...source.metadata, uid: 'uid-1', resourceVersion: text(status) };
      return readSandbox({ ...source, metadata }) as ObservedSandbox;
    };
    const text = (status: object): string => String(JSON.stringify(status).length);
    const ready = (reason: string) =>
      seen({ conditions: [{ type: 'Ready', status: 'False', reason }] });
    const { isSame } = sandboxByName;
    expect(isSame?.(ready('SandboxExpired'), ready('PodFailed'))).toBe(false);
    expect(isSame?.(ready('SandboxExpired'), ready('SandboxExpired'))).toBe(true);
  });
});

describe('A member of a warm pool', () => {
  it('costs a pod and one status until it is ready, and a patch and a status when a claim has it (S1, R19, K5, K6)', () => {
    const urgencies: string[] = [];
    const decided = (intent: WriteIntent): void => {
      if (intent.type === 'writeStatus') urgencies.push(intent.urgency);
    };
    const world = new AgentSandboxWorld({
      decided,
      // Progress waits, and is overtaken.
      fateOf: (intent) => {
        const isLazy = intent.type === 'writeStatus' && intent.urgency === 'lazy';
        return isLazy ? 'lost request' : 'answered';
      },
    });
    world.store.create(memberOf('pool', 'box'));
    const made = writesOf(world, () => ready(world.comeToRest()));
    expect(made).toEqual(['create SandboxPod box']);
    world.options = { decided };
    const told = writesOf(world, () => world.pass(30_000).comeToRest());
    expect(told).toEqual(['status Sandbox box']);
    expect(urgencies.at(-1)).toBe('behind');
    const uid = there(world, 'Pod', 'box')?.metadata.uid;
    expect(mapOf(world, 'labels', 'Pod', 'box')).toEqual({
      [label.sandboxNameHash]: nameHash('box'),
      [label.warmPool]: nameHash('pool'),
      [label.templateRefHash]: nameHash('template'),
      [label.createdBy]: 'controller',
    });
    const claimed = writesOf(world, () => {
      edit(world, {
        metadata: {
          labels: { [label.warmPool]: null, [label.claimUid]: 'uid-of-claim' },
          ownerReferences: [controllerOfKind('SandboxClaim', 'claim', 'uid-of-claim')],
        },
        spec: { podTemplate: { metadata: { labels: { team: 'a' } } } },
      });
    });
    expect(claimed.toSorted()).toEqual(['patch SandboxPod box', 'status Sandbox box']);
    expect(urgencies.at(-1)).toBe('lazy');
    expect(there(world, 'Pod', 'box')?.metadata.uid).toBe(uid);
    expect(mapOf(world, 'labels', 'Pod', 'box')).toEqual({
      [label.sandboxNameHash]: nameHash('box'),
      [label.templateRefHash]: nameHash('template'),
      [label.createdBy]: 'controller',
      team: 'a',
    });
    expect(there(world, 'Pod', 'box')?.metadata.ownerReferences?.[0]?.kind).toBe('Sandbox');
  });
});
