// Building and patching PodGroups: one that was just built needs no patch, a patched one none
// either, and whatever others put there stays.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '#machines/kinds.ts';
import type { ObservedGang } from '#machines/grove/objects/podgang.ts';
import { isUnmappable, type Desired } from '#machines/grove/scheduler/backend.ts';
import { kai } from '#machines/grove/scheduler/kai.ts';
import { buildPodGroup, isForeign, patchOfPodGroup } from '#machines/grove/scheduler/podgroup.ts';
import { volcano } from '#machines/grove/scheduler/volcano.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { applyPatch, isWithin } from '#machines/kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { anyGang, gang, there } from './sample.ts';

const owner = (kind: string, name: string, uid: string, controller: boolean) => ({
  apiVersion: 'v1',
  kind,
  name,
  uid,
  controller,
});

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

function patched(body: KubeObject, patch: JsonObject): KubeObject {
  const next: unknown = applyPatch(body, patch);
  if (!isKubeObject(next)) throw new Error('no object');
  return next;
}

const foreign: JsonObject = {
  metadata: {
    labels: { 'foreign/mine': 'x' },
    annotations: { 'foreign/mine': 'x' },
    ownerReferences: [owner('ConfigMap', 'other', 'other-uid', false)],
  },
  spec: { markUnschedulable: true, schedulingBackoff: -1, minResources: { cpu: '2' } },
};

describe.each([
  ['KAI', kai],
  ['Volcano', volcano],
])('The PodGroup of %s', (_name, { podGroups }) => {
  if (podGroups === undefined) throw new Error('it has none');
  const { kind } = podGroups;

  function desired(of: ObservedGang, body?: KubeObject): Desired {
    const wanted = podGroups?.desired(of, body === undefined ? undefined : there(kind, body));
    if (wanted === undefined || isUnmappable(wanted)) throw new Error('no wish');
    return wanted;
  }
  const patchOf = (of: ObservedGang, body: KubeObject): JsonObject | undefined =>
    patchOfPodGroup(of, there(kind, body), desired(of, body));

  it('is controlled by its PodGang, of the API kind PodGroup, and holds no null', () => {
    const body = buildPodGroup(kind, gang(), desired(gang()));
    expect(body.kind).toBe('PodGroup');
    expect(body.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'scheduler.grove.io/v1alpha1',
        kind: 'PodGang',
        name: 'demo-0',
        uid: 'gang-uid',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('null');
  });

  it('needs no patch when it was just built, nor with what others added', () => {
    fc.assert(
      fc.property(anyGang, (one) => {
        const body = buildPodGroup(kind, one, desired(one));
        expect(patchOf(one, body)).toBeUndefined();
        const { ownerReferences: _, ...metadata } = JSON.parse(JSON.stringify(foreign.metadata));
        expect(patchOf(one, patched(body, { ...foreign, metadata }))).toBeUndefined();
      }),
    );
  });

  it('becomes what its changed gang wants by one patch that keeps what is of others', () => {
    fc.assert(
      fc.property(anyGang, anyGang, (before, after) => {
        const start = buildPodGroup(kind, before, desired(before));
        const found = patched(start, foreign);
        const patch = patchOf(after, found);
        const end = patch === undefined ? found : patched(found, patch);
        expect(patchOf(after, end)).toBeUndefined();
        expect(JSON.stringify(end)).not.toContain('null');
        const { ownerReferences: owners, ...metadata } = JSON.parse(
          JSON.stringify(foreign.metadata),
        );
        expect(isWithin({ metadata, spec: foreign['spec'] }, end)).toBe(true);
        expect(end.metadata.ownerReferences).toEqual([
          ...owners,
          expect.objectContaining({ kind: 'PodGang', uid: 'gang-uid', controller: true }),
        ]);
      }),
    );
  });

  it('is taken over from an earlier gang of its name and from nobody, not from others', () => {
    const body = buildPodGroup(kind, gang(), desired(gang()));
    const with_ = (ownerReferences: object[]) =>
      there(kind, patched(body, JSON.parse(JSON.stringify({ metadata: { ownerReferences } }))));
    const old = with_([owner('PodGang', 'demo-0', 'old-uid', true)]);
    expect(isForeign(old, gang())).toBe(false);
    expect(isForeign(with_([]), gang())).toBe(false);
    expect(isForeign(with_([owner('Job', 'demo-0', 'uid', true)]), gang())).toBe(true);
    expect(patchOfPodGroup(gang(), old, desired(gang()))).toEqual({
      metadata: { ownerReferences: [expect.objectContaining({ uid: 'gang-uid' })] },
    });
  });
});

describe('The sub-group of a PodGroup', () => {
  it('keeps what others wrote in it when its minimum changes', () => {
    const body = buildPodGroup('KaiPodGroup', gang(), desiredOf(gang()));
    const spec: JsonObject = JSON.parse(JSON.stringify(body['spec']));
    const [first, second] = JSON.parse(JSON.stringify(spec['subGroups']));
    const found = {
      ...body,
      spec: { ...spec, subGroups: [{ ...first, note: 'x', minMember: 1 }, second] },
    };
    const patch = patchOfPodGroup(gang(), there('KaiPodGroup', found), desiredOf(gang()));
    expect(patch).toEqual({ spec: { subGroups: [{ ...first, note: 'x' }, second] } });
  });
});

function desiredOf(one: ObservedGang): Desired {
  const wanted = kai.podGroups?.desired(one, undefined);
  if (wanted === undefined || isUnmappable(wanted)) throw new Error('no wish');
  return wanted;
}
