// The request that an intent becomes: what it says of preconditions and of how to delete.
import { describe, expect, it } from 'vitest';
import { requestOf } from '#actors/effects/work.ts';

const ref = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;

describe('the request for a deletion', () => {
  const bare = { type: 'deleteObject', ref, reason: 'a test', uid: 'u' } as const;

  it('names the UID, and nothing that was not asked for', () => {
    expect(requestOf(bare, undefined)).toEqual({ op: 'delete', ref, uid: 'u' });
  });

  it('hands on version and propagation', () => {
    const more = {
      resourceVersion: '7',
      propagation: 'Foreground',
    } as const;
    expect(requestOf({ ...bare, ...more }, undefined)).toEqual({
      op: 'delete',
      ref,
      uid: 'u',
      ...more,
    });
  });
});
