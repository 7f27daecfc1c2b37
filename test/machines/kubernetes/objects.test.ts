// Who controls an object, whatever a server says of its owners.
import { describe, expect, it } from 'vitest';
import { controllerOf, type ObjectMeta } from '#machines/kubernetes/objects.ts';

const owner = { apiVersion: 'grove.io/v1alpha1', kind: 'PodClique', name: 'a', uid: 'u' };
const controller = { ...owner, uid: 'c', controller: true };

const cases: readonly (readonly [string, unknown, unknown])[] = [
  ['no list', undefined, undefined],
  ['an empty list', [], undefined],
  ['an owner that does not control', [owner], undefined],
  ['the one that controls among others', [owner, controller], controller],
  ['null in the list', [null, controller], controller],
  ['null alone', [null], undefined],
];

describe('The controller of an object', () => {
  it.each(cases)('with %s', (_, ownerReferences, expected) => {
    const metadata = { name: 'x', ownerReferences } as ObjectMeta;
    expect(controllerOf({ apiVersion: 'v1', kind: 'Pod', metadata })).toEqual(expected);
  });
});
