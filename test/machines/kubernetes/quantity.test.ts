// Amounts in Kubernetes' notation: what is the same written in two ways, and what is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, isSameAmounts } from '#machines/kubernetes/quantity.ts';

describe('amounts', () => {
  it.each([
    ['500m', '0.5'],
    ['1', '1000m'],
    ['1Gi', '1073741824'],
    ['1e3', '1k'],
    ['2E', '2e18'],
    ['.5', '500m'],
    ['1.', '1'],
    ['-1', '-1000m'],
    ['100u', '0.1m'],
    ['5', 5],
  ])('%s is %s', (a, b) => {
    expect(isSameAmounts(a, b)).toBe(true);
  });

  it.each([
    ['1', '1m'],
    ['1Gi', '1G'],
    ['cpu', 'memory'],
    ['1x', '1'],
    ['', '0'],
    [undefined, 0],
  ])('%s is not %s', (a, b) => {
    expect(isSameAmounts(a, b)).toBe(false);
  });

  it('of thousandths are the same as decimals, for every number', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (thousandths) => {
        const decimal = (thousandths / 1_000).toFixed(3);
        expect(amountOf(`${thousandths}m`)).toBe(amountOf(decimal));
      }),
    );
  });

  it('are compared in lists and objects, and everything else as it is', () => {
    const a = [{ type: 'Pods', pods: { target: { averageValue: '0.5' }, metric: { name: 'x' } } }];
    const b = [{ pods: { metric: { name: 'x' }, target: { averageValue: '500m' } }, type: 'Pods' }];
    expect(isSameAmounts(a, b)).toBe(true);
    expect(isSameAmounts(a, [...b, ...b])).toBe(false);
    expect(isSameAmounts([{ name: 'x', extra: 1 }], [{ name: 'x' }])).toBe(false);
  });
});
