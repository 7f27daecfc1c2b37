// Families of modules: what is counted, what is served empty, and what is refused.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { MeasuredFamily } from '#machines/contract/module.ts';
import { countMeasured } from '#src/metrics/measured.ts';
import { createTelemetry } from '#src/metrics/telemetry.ts';
import { quietMetrics } from '#test/support/metrics.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';

const why = { source: 'a test' };

const families: readonly MeasuredFamily[] = [
  { type: 'counter', name: 'a_total', help: 'a', why, labels: ['namespace', 'how'] },
  { type: 'histogram', name: 'b_ms', help: 'b', why, labels: ['how'], buckets: [10, 20] },
];

const one = { family: 'a_total', labels: { namespace: 'n', how: 'warm' }, value: 1 };

const wrong = [
  ['no module has a family c', { family: 'c', labels: {}, value: 1 }],
  ['a_total has the labels namespace,how, not how', { ...one, labels: { how: 'warm' } }],
  [
    'a_total has the labels namespace,how, not namespace,how,x',
    { ...one, labels: { ...one.labels, x: 'y' } },
  ],
  ['a_total does not take -1', { ...one, value: -1 }],
  ['b_ms does not take NaN', { family: 'b_ms', labels: { how: 'warm' }, value: NaN }],
] as const;

test('Counters grow and histograms observe', async () => {
  const registry = new Registry();
  const count = countMeasured(registry, families);
  count(one);
  count({ ...one, value: 2 });
  count({ family: 'b_ms', labels: { how: 'warm' }, value: 15 });
  const text = await registry.metrics();
  expect(text).toContain('a_total{namespace="n",how="warm"} 3');
  expect(text).toContain('b_ms_bucket{le="10",how="warm"} 0');
  expect(text).toContain('b_ms_bucket{le="20",how="warm"} 1');
});

test('A label that is emptied has one series, whatever was measured', async () => {
  const registry = new Registry();
  const count = countMeasured(
    registry,
    families.map((family) => ({ ...family, emptied: ['namespace'] })),
  );
  count(one);
  count({ ...one, labels: { namespace: 'm', how: 'warm' } });
  expect(await registry.metrics()).toContain('a_total{namespace="",how="warm"} 2');
});

test.each(wrong)('A number that nobody takes is said and not counted: %s', async (what, event) => {
  const registry = new Registry();
  expect(countMeasured(registry, families)(event)).toBe(what);
  expect(await registry.metrics()).not.toMatch(/^(a_total|b_ms)\S* [1-9]/m);
});

test('A number that nobody takes is logged, and crashes its actor in tests', () => {
  const lines: unknown[] = [];
  const { numbers } = quietMetrics({ measured: families });
  const telemetry = createTelemetry(numbers, (...line) => void lines.push(line));
  telemetry.measured(one);
  telemetry.measured({ ...one, family: 'c' });
  expect(lines).toEqual([
    ['error', 'a number was not counted', { error: 'no module has a family c' }],
  ]);
  expect(() => recordingTelemetry(families).measured({ ...one, family: 'c' })).toThrow(
    'no module has a family c',
  );
});
