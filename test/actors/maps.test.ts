// A map of which only the newest entries are kept.
import { expect, it } from 'vitest';
import { putNewest } from '#actors/maps.ts';

it('An entry that is put again is the newest, and outlives those that were put before', () => {
  const map = new Map<string, number>();
  for (const [key, value] of [...'abac'].entries()) putNewest(map, value, key, 2);
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
  ]);
});
