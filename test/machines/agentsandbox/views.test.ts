// When a view of the agent sandbox has news for its readers, where it says itself what counts as a
// change.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { View } from '#machines/contract/view.ts';

const views: readonly View[] = agentsandbox.views;

function viewOf(name: string): View {
  const found = views.find((view) => view.name === name);
  if (found === undefined) throw new Error(`no view ${name}`);
  return found;
}

/** Of an object, as far as views compare it. */
const one = { name: 'a', uid: 'u', resourceVersion: '1', generation: 1, deleting: false };
type Field = keyof typeof one;

const changed = (field: Field): object => ({ ...one, [field]: 'another' });

const version: readonly Field[] = ['uid', 'resourceVersion'];

describe('A view', () => {
  it('that says itself what counts as a change has a case here', () => {
    const own = views.filter(({ isSame }) => isSame !== undefined).map(({ name }) => name);
    expect(own.toSorted()).toEqual([
      'ordinalsOfPool',
      'orphansOfPool',
      'sandboxByName',
      'sandboxesOfClaim',
      'templateByName',
      'unownedByName',
    ]);
  });

  it.each<[string, readonly Field[]]>([
    ['sandboxByName', version],
    ['templateByName', ['uid', 'generation', 'deleting']],
    ['unownedByName', version],
  ])('%s has news where %j is another one, and nowhere else', (name, fields) => {
    const { isSame, isSameItem } = viewOf(name);
    for (const compare of [isSame, isSameItem]) {
      expect(compare?.(one, { ...one })).toBe(true);
      const news = (Object.keys(one) as Field[]).filter((field) => !compare?.(one, changed(field)));
      expect(news).toEqual(fields);
    }
  });

  it('of the Sandboxes of a claim has news where one of them is another version, or a place', () => {
    const { isSame, isSameItem } = viewOf('sandboxesOfClaim');
    const other = { ...one, uid: 'v' };
    expect(isSame?.([one, other], [{ ...one }, { ...other }])).toBe(true);
    expect(isSame?.([], [])).toBe(true);
    for (const now of [[], [one], [other, one], [one, other, one], [one, one]]) {
      expect(isSame?.([one, other], now)).toBe(false);
    }
    for (const field of Object.keys(one) as Field[]) {
      const isNews = version.includes(field);
      expect(isSame?.([one, other], [one, { ...other, [field]: 'another' }])).toBe(!isNews);
      expect(isSameItem?.(one, changed(field))).toBe(!isNews);
    }
  });

  it('of the ordinals of a pool has news where they are others', () => {
    const { isSame } = viewOf('ordinalsOfPool');
    const few = fc.uniqueArray(fc.nat(3)).map((all) => new Set(all));
    fc.assert(
      fc.property(few, few, (before, now) => {
        expect(isSame?.(before, now)).toBe(before.symmetricDifference(now).size === 0);
      }),
    );
  });

  it('of the orphans of a pool has news in whatever comes, and compares versions of items', () => {
    const { isSame, isSameItem } = viewOf('orphansOfPool');
    const orphans = new Map([['a', one]]);
    expect(isSame?.(orphans, orphans)).toBe(false);
    expect(isSameItem?.(one, { ...one })).toBe(true);
    for (const field of version) expect(isSameItem?.(one, changed(field))).toBe(false);
  });
});
