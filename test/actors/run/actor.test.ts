// Which actor leads the life of which object, for every kind that has actors.
import { describe, expect, it } from 'vitest';
import { ownerOfLife, ownRef } from '#actors/run/actor.ts';
import { allBehaviours } from '#test/support/modules.ts';

describe('the owner of a life', () => {
  it.each(allBehaviours)('of the object of a $kind is that actor', ({ kind }) => {
    const key = { kind, namespace: 'demo', name: 'x' };
    expect(ownerOfLife(ownRef(key))).toEqual(key);
  });

  it('is nobody for a leaf', () => {
    expect(ownerOfLife({ kind: 'Service', namespace: 'demo', name: 'x' })).toBeUndefined();
  });
});
