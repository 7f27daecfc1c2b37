// What is kept of the objects of agent-sandbox, and how they may be written.
import { expect, test } from 'vitest';
import { requestOf } from '#actors/effects/work.ts';
import { agentsandbox, withoutExtensions } from '#machines/agentsandbox/module.ts';
import { apiGroup, kindRow } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';

const partial = agentsandbox.kinds.filter((kind) => kindRow(kind).keeps !== undefined);

test('Pods, Services, volumes and policies are kept in part, without their spec where nobody reads it', () => {
  expect(partial).toEqual(agentsandbox.kinds.filter((kind) => !/agents/.test(apiGroup(kind))));
  const object = { spec: { nodeName: 'n', containers: [{ image: 'x' }] }, status: {} };
  const kept = JSON.stringify(kindRow('SandboxPod').keeps?.(object));
  expect(kept).not.toContain('image');
});

test('What is kept in part is patched, and never written as a whole (R68)', () => {
  expect(partial.filter((kind) => kindRow(kind).writes.includes('status'))).toEqual([]);
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', labels: { a: 'b' } },
    status: { phase: 'Running' },
  };
  const ref = { kind: 'SandboxPod', namespace: 'n', name: 'a' } as const;
  const patch = { metadata: { labels: { c: 'd' } } };
  const intent = { type: 'patchObject', ref, uid: 'u', patch, reason: 'metadata' } as const;
  const known = {
    ...{ ref, key: 'k', uid: 'u', version: '1', object: pod, targets: [], shown: [] },
    lastWrite: undefined,
    writtenGeneration: undefined,
  };
  expect(requestOf(intent, known)).toEqual({
    op: 'patch',
    ref,
    patch: { metadata: { labels: { c: 'd' }, uid: 'u' } },
  });
});

test('Without extensions there are Sandboxes and what belongs to them', () => {
  const left = agentsandbox.kinds.filter((kind) => !withoutExtensions.kinds.includes(kind));
  expect(left).toEqual(['SandboxTemplate', 'SandboxClaim', 'SandboxWarmPool', 'TemplatePolicy']);
});
