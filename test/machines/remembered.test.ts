// What the rules of a reconcile ask of a list is found once, and never of another one.
import { expect, it } from 'vitest';
import { remembered } from '#machines/statechart/remembered.ts';

it('what is asked of a list is found once, and anew of another list or by something else', () => {
  const asked: string[] = [];
  const above = remembered((list: readonly number[], least: number | undefined) => {
    asked.push(`${list.join()}>${least}`);
    return least === undefined ? undefined : list.filter((one) => one > least);
  });
  const [one, same] = [
    [1, 2, 3],
    [1, 2, 3],
  ];
  expect(above(one, 1)).toEqual([2, 3]);
  expect(above(one, 1)).toBe(above(one, 1));
  expect(above(same, 1)).not.toBe(above(one, 1));
  expect(above(one, 2)).toEqual([3]);
  expect(above(one, undefined)).toBeUndefined();
  expect(above(one, undefined)).toBeUndefined();
  expect(above(one, 1)).toEqual([2, 3]);
  expect(asked).toEqual(['1,2,3>1', '1,2,3>1', '1,2,3>2', '1,2,3>undefined', '1,2,3>1']);
});
