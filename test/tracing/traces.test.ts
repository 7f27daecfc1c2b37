// Which trace a fact belongs to, as OpenTelemetry names it, and for how long.
import { describe, expect, test } from 'vitest';
import { traceIdOf } from '#bus/trace-ids.ts';
import { Traces } from '#src/tracing/traces.ts';

const client = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function asked() {
  const seen: (readonly [string, boolean | undefined])[] = [];
  const isSampled = (traceId: string, _name: string, parent?: { readonly isSampled: boolean }) => {
    seen.push([traceId, parent?.isSampled]);
    return parent?.isSampled ?? true;
  };
  return { seen, isSampled };
}

describe('A trace', () => {
  test('is sampled or not once, whatever comes of it', () => {
    const { seen, isSampled } = asked();
    const traces = new Traces(isSampled);
    const first = traces.of('t-1', 1_000, 'observed');
    expect(traces.of('t-1', 2_000, 'wrote')).toBe(first);
    expect(first.traceId).toBe(traceIdOf('t-1'));
    expect(seen).toEqual([[traceIdOf('t-1'), undefined]]);
  });

  test('is that of the client who began it, and sampled as the client says', () => {
    const { isSampled } = asked();
    const traces = new Traces(isSampled);
    const sampled = traces.of('t-1', 0, 'observed', client);
    expect(sampled).toMatchObject({ traceId: 'a'.repeat(32), isSampled: true });
    expect(sampled.remote?.spanId).toBe('b'.repeat(16));
    const other = traces.of('t-2', 0, 'observed', client.replace(/01$/, '00'));
    expect(other).toMatchObject({ traceId: 'a'.repeat(32), isSampled: false });
  });

  test('goes on in another one, which leads back to it, after a rest or when it is old', () => {
    const traces = new Traces(() => true, { restMs: 100, ageMs: 250 });
    const first = traces.of('t-1', 0, 'observed');
    first.first = { traceId: first.traceId, spanId: 'b'.repeat(16) };
    expect(traces.of('t-1', 100, 'wrote')).toBe(first);
    expect(traces.of('t-1', 200, 'wrote')).toBe(first);
    const second = traces.of('t-1', 251, 'wrote');
    expect(second.traceId).not.toBe(first.traceId);
    expect(second.before).toEqual(first.first);
    const third = traces.of('t-1', 400, 'wrote');
    expect(third.traceId).not.toBe(second.traceId);
    expect(traces.of('t-1', 401, 'wrote')).toBe(third);
  });

  test('is forgotten when there are too many, those first of which nothing is heard', () => {
    const traces = new Traces(() => true, { traces: 3 });
    const kept = traces.of('kept', 0, 'observed');
    for (let index = 0; index < 10; index++) {
      traces.of(`t-${index}`, index, 'observed');
      expect(traces.of('kept', index, 'wrote')).toBe(kept);
      expect(traces.size).toBeLessThanOrEqual(3);
    }
  });
});
