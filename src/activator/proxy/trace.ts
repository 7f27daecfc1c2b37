// Traces go through in both styles of headers; of a request that has B3's alone the W3C one is made,
// so that whoever reads only that one finds the trace (spec activator H-100). The activator starts
// no trace of its own, so a request without one costs two look-ups (H-87).
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const hex = /^[\da-f]+$/;

/** For a request that has none. Undefined: it has one, or no trace that can be read. */
export function traceParentOf(headers: Headers): string | undefined {
  const { b3 } = headers;
  const traceId = headers['x-b3-traceid'];
  if (b3 === undefined && traceId === undefined) return undefined;
  if (headers['traceparent'] !== undefined) return undefined;
  if (typeof b3 === 'string') {
    const [trace, span, sampled] = b3.toLowerCase().split('-');
    return written(trace, span, sampled);
  }
  return written(traceId, headers['x-b3-spanid'], headers['x-b3-sampled']);
}

type Value = string | string[] | undefined;

function written(trace: Value, span: Value, sampled: Value): string | undefined {
  if (typeof trace !== 'string' || typeof span !== 'string') return undefined;
  const ids = [trace.toLowerCase().padStart(32, '0'), span.toLowerCase()] as const;
  const [traceId, spanId] = ids;
  if (traceId.length !== 32 || spanId.length !== 16 || !ids.every((id) => hex.test(id))) {
    return undefined;
  }
  if (ids.some((id) => /^0+$/.test(id))) return undefined;
  const isSampled = sampled === '1' || sampled === 'd' || sampled === 'true';
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
