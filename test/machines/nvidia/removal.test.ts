// The intents by which what belongs to a ComputeDomain goes: what they name, and what they refuse.
import { describe, expect, it } from 'vitest';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import { readChild } from '#machines/nvidia/objects/children.ts';
import type { ObservedChild } from '#machines/nvidia/objects/children.ts';
import { deleteChild, releaseChild, unlabel } from '#machines/nvidia/removal.ts';
import { childOf, labelOfDomain, labelsOf } from '#test/support/nvidia.ts';

function child(isDeleting: boolean): ObservedChild {
  const { metadata, ...rest } = childOf(
    'DaemonSet',
    { namespace: 'driver', name: 'd' },
    labelsOf('uid-1'),
  );
  const deletion = isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const live = { ...metadata, uid: 'u', resourceVersion: '7', ...deletion };
  const observed = readChild('DomainDaemonSet')({ ...rest, metadata: live });
  if (isMalformed(observed)) throw new Error(observed.malformed);
  return observed;
}

describe('A child of a ComputeDomain', () => {
  it('is deleted once, and by its UID', () => {
    expect(deleteChild(child(false), 'test')).toMatchObject([{ type: 'deleteObject', uid: 'u' }]);
    expect(deleteChild(child(true), 'test')).toEqual([]);
  });

  it('loses our finalizer only while it is being deleted, and once', () => {
    expect(releaseChild(child(false), 'test')).toEqual([]);
    const patch = { metadata: { finalizers: [] } };
    expect(releaseChild(child(true), 'test')).toMatchObject([{ patch, resourceVersion: '7' }]);
    expect(releaseChild({ ...child(true), finalizers: ['theirs'] }, 'test')).toEqual([]);
  });

  it('HC-54: loses its label in the version alone that was looked at', () => {
    expect(unlabel(child(false), 'test')).toMatchObject({
      patch: { metadata: { labels: { [labelOfDomain]: null } } },
      uid: 'u',
      resourceVersion: '7',
    });
  });
});
