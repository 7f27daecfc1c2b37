// The trace that a client names in an annotation; whatever else stands there names none.
import { describe, expect, it } from 'vitest';
import { traceContextAnnotation, traceparentIn } from '#machines/kubernetes/trace-context.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const read = (text: string): string | undefined =>
  traceparentIn({ annotations: { [traceContextAnnotation]: text } });

describe('The annotation of a client', () => {
  it('names its trace as a header of W3C (spec agent-sandbox 2.7)', () => {
    expect(read(JSON.stringify({ traceparent: parent, tracestate: 'a=b' }))).toBe(parent);
    const later = parent.replace(/^00/, '01');
    expect(read(JSON.stringify({ traceparent: later }))).toBe(later);
  });

  it.each([
    ['no JSON', parent],
    ['a list', JSON.stringify([parent])],
    ['another header', JSON.stringify({ tracestate: parent })],
    ['a number', JSON.stringify({ traceparent: 1 })],
    ['capitals', JSON.stringify({ traceparent: parent.toUpperCase() })],
    ['a version that there is not', JSON.stringify({ traceparent: parent.replace(/^00/, 'ff') })],
    [
      'an empty trace',
      JSON.stringify({ traceparent: parent.replace(/[\da-f]{32}/, '0'.repeat(32)) }),
    ],
    [
      'an empty span',
      JSON.stringify({ traceparent: parent.replace('b7ad6b7169203331', '0'.repeat(16)) }),
    ],
    ['more behind it', JSON.stringify({ traceparent: `${parent}-secret` })],
    ['an endless text', JSON.stringify({ traceparent: parent, more: 'x'.repeat(5_000) })],
  ])('names none with %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('need not be there', () => {
    expect(traceparentIn({})).toBeUndefined();
    expect(traceparentIn({ annotations: {} })).toBeUndefined();
  });
});
