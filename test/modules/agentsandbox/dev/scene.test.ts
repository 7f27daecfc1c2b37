// What `coppice dev` shows of warm pools: members and claims as they are, and commands to paste.
import { describe, expect, test } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { agentSandboxShow } from '#src/modules/agentsandbox/dev/dev.ts';
import { Scene } from '#src/modules/agentsandbox/dev/scene.ts';
import { nextSteps } from '#src/modules/agentsandbox/dev/view.ts';

type Owner = { readonly kind: string; readonly name: string };

const condition = (type: string, status: string, reason = '', message = '') => ({
  ...{ type, status, reason, message },
});
const ready = { status: { conditions: [condition('Ready', 'True')] } };

class Stage extends Scene {
  see(kind: Kind, name: string, fields: JsonObject = {}, owner?: Owner): this {
    const ownerReferences =
      owner === undefined
        ? []
        : [{ ...owner, apiVersion: 'v1', uid: `uid-${owner.name}`, controller: true }];
    const metadata = { name, namespace: 'default', uid: `uid-${name}`, ownerReferences };
    const object = { apiVersion: 'v1', kind, metadata, ...fields };
    this.observe({ type: 'seen', kind, object });
    return this;
  }

  pool(replicas: number, ...conditions: JsonObject[]): this {
    return this.see('SandboxWarmPool', 'warm', { spec: { replicas }, status: { conditions } });
  }

  member(name: string, fields: JsonObject = ready): this {
    return this.see('Sandbox', name, fields, { kind: 'SandboxWarmPool', name: 'warm' });
  }

  claim(name: string, status: JsonObject = {}): this {
    return this.see('SandboxClaim', name, { spec: { warmPoolRef: { name: 'warm' } }, status });
  }

  get done(): readonly boolean[] {
    return this.lines().map((line) => line.done);
  }

  get summaries(): readonly string[] {
    return this.lines().map(({ summary }) => summary);
  }
}

const full = condition('Ready', 'True', 'MembersReady');
const served = {
  conditions: [condition('Ready', 'True')],
  sandbox: { name: 'warm-a', podIPs: ['10.0.0.1'] },
};

describe('a pool', () => {
  test('counts its members and the claims on it', () => {
    const stage = new Stage().pool(2).member('warm-a').member('warm-b', {});
    stage.claim('alice').claim('bob', served);
    expect(stage.summaries[0]).toBe('pool default/warm: 1/2 members ready, 1/2 claims ready');
  });

  test('is done when its members are ready and it says so', () => {
    const stage = new Stage().pool(2, full).member('warm-a').member('warm-b', {});
    expect(stage.done).toEqual([false]);
    stage.member('warm-b');
    expect(stage.done).toEqual([true]);
    expect(stage.pool(2, condition('Ready', 'False', 'Filling')).done).toEqual([false]);
  });

  test('is not done while a claim has just taken a member, whatever its status says', () => {
    const stage = new Stage().pool(1, full).member('warm-a');
    stage.see('Sandbox', 'warm-a', ready, { kind: 'SandboxClaim', name: 'alice' });
    expect(stage.done).toEqual([false]);
  });

  test('says what stands in its way, and nothing while it fills', () => {
    const trouble = (...conditions: JsonObject[]) =>
      new Stage().pool(1, ...conditions).lines()[0]?.trouble;
    expect(trouble(condition('Ready', 'False', 'Filling', 'fewer'))).toEqual([]);
    expect(
      trouble(
        condition('Ready', 'False', 'RefillFailed', 'the quota'),
        condition('Parked', 'True', 'Crashes', 'too many restarts'),
      ),
    ).toEqual(['parked: too many restarts', 'RefillFailed: the quota']);
  });
});

describe('a claim', () => {
  test('is done when it is ready, with its Sandbox', () => {
    const stage = new Stage().claim('alice');
    expect([stage.summaries, stage.done]).toEqual([
      ['claim default/alice: waits for a Sandbox'],
      [false],
    ]);
    stage.claim('alice', served);
    expect([stage.summaries, stage.done]).toEqual([
      ['claim default/alice: has Sandbox warm-a, ready'],
      [true],
    ]);
  });

  test('says why it gets none', () => {
    const conditions = [condition('Ready', 'False', 'WarmPoolNotFound', 'no pool')];
    expect(new Stage().claim('alice', { conditions }).lines()[0]?.trouble).toEqual([
      'WarmPoolNotFound: no pool',
    ]);
  });
});

describe('a Sandbox', () => {
  test('is shown where it is of no pool and of no claim', () => {
    const stage = new Stage().member('warm-a').see('Sandbox', 'alone', ready);
    expect(stage.summaries).toEqual(['Sandbox default/alone: ready']);
    expect(stage.done).toEqual([true]);
  });

  test('that is to be suspended is done when it is', () => {
    const spec = { operatingMode: 'Suspended' };
    const stage = new Stage().see('Sandbox', 'alone', { spec, ...ready });
    expect(stage.summaries).toEqual(['Sandbox default/alone: is being suspended']);
    expect(stage.done).toEqual([false]);
    const conditions = [condition('Suspended', 'True')];
    stage.see('Sandbox', 'alone', { spec, status: { conditions } });
    expect(stage.summaries).toEqual(['Sandbox default/alone: suspended']);
    expect(stage.done).toEqual([true]);
  });

  test('that is gone is shown no more', () => {
    const stage = new Stage().see('Sandbox', 'alone');
    const ref = { kind: 'Sandbox', namespace: 'default', name: 'alone' } as const;
    stage.observe({ type: 'gone', ref, uid: 'uid-alone' });
    expect(stage.lines()).toEqual([]);
  });
});

describe('the picture', () => {
  test('has a bar and a mark for each member, those that are ready first', () => {
    const scheduled = { status: { conditions: [condition('PodScheduled', 'True')] } };
    const stage = new Stage().pool(3).member('a', {}).member('b', scheduled).member('c');
    stage.claim('alice');
    expect(stage.paint()).toEqual([
      'pool default/warm: 1/3 members ready, 0/1 claims ready',
      `  ${'█'.repeat(10)}${'░'.repeat(20)}`,
      '  ●○·',
      '· claim default/alice: waits for a Sandbox',
      '',
      expect.stringContaining('waiting'),
    ]);
    expect(new Stage().paint()).toEqual([]);
  });
});

describe('next steps', () => {
  test('of a pool make a claim on it and scale it', () => {
    const { kubectl, about } = nextSteps([
      { kind: 'SandboxClaim', key: 'ml/alice' },
      { kind: 'SandboxWarmPool', key: 'ml/warm' },
    ]);
    expect(about).toEqual({ kind: 'sandboxwarmpool', namespace: 'ml', name: 'warm' });
    expect(kubectl).toEqual([
      'kubectl get sandboxwarmpools,sandboxclaims,sandboxes --namespace ml',
      expect.stringMatching(/"warmPoolRef":\{"name":"warm"\}.*create --namespace ml --filename -$/),
      'kubectl scale sandboxwarmpool warm --namespace ml --replicas 5',
    ]);
  });

  test('of a Sandbox suspend it, and ask it why', () => {
    const { kubectl, about } = nextSteps([{ kind: 'Sandbox', key: 'ml/alone' }]);
    expect(about).toEqual({ kind: 'sandbox', namespace: 'ml', name: 'alone' });
    expect(kubectl).toHaveLength(2);
    expect(kubectl[1]).toContain('kubectl patch sandbox alone --namespace ml');
  });

  test('of a claim alone ask it why', () => {
    const { about } = nextSteps([{ kind: 'SandboxClaim', key: 'ml/alice' }]);
    expect(about?.kind).toBe('sandboxclaim');
  });

  test('look at all namespaces where nothing was applied', () => {
    expect(nextSteps([]).kubectl).toEqual([
      'kubectl get sandboxwarmpools,sandboxclaims,sandboxes -A',
    ]);
  });
});

test('Pools, claims and Sandboxes are awaited, templates are not', () => {
  const kinds = ['SandboxWarmPool', 'SandboxClaim', 'Sandbox', 'SandboxTemplate', 'PodCliqueSet'];
  expect(kinds.filter(agentSandboxShow.isAwaited)).toEqual(kinds.slice(0, 3));
});
