// What a collector has received, decoded from OTLP's protobuf or JSON without the libraries that
// wrote it (opentelemetry/proto/trace/v1/trace.proto). Used by collector.ts.
import { list, object, text } from '#machines/kubernetes/json.ts';
import { bytesAt, fieldsOf, fixedAt, type Fields, numberAt, partsAt, textAt } from './protobuf.ts';

type Value = string | number | boolean | readonly Value[] | undefined;

interface ReceivedEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Readonly<Record<string, Value>>;
}

export interface ReceivedSpan {
  readonly resource: Readonly<Record<string, Value>>;
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins the trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly ReceivedEvent[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 0: unset, 2: error. */
  readonly status: { readonly code: number; readonly message: string };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const msOf = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1000;

export function spansOfProtobuf(body: Uint8Array): readonly ReceivedSpan[] {
  return partsAt(fieldsOf(body), 1).flatMap((group) => {
    const [resource] = partsAt(group, 1);
    const attributes = attributesAt(resource ?? new Map(), 1);
    return partsAt(group, 2).flatMap((scoped) => {
      const [scope] = partsAt(scoped, 1);
      const name = textAt(scope ?? new Map(), 1);
      return partsAt(scoped, 2).map((span) => spanOf(span, attributes, name));
    });
  });
}

function spanOf(span: Fields, resource: ReceivedSpan['resource'], scope: string): ReceivedSpan {
  const [status = new Map()] = partsAt(span, 15);
  return {
    ...{ resource, scope },
    traceId: hex(bytesAt(span, 1)),
    spanId: hex(bytesAt(span, 2)),
    parentSpanId: hex(bytesAt(span, 4)),
    name: textAt(span, 5),
    kind: numberAt(span, 6),
    start: msOf(fixedAt(span, 7)),
    end: msOf(fixedAt(span, 8)),
    attributes: attributesAt(span, 9),
    events: partsAt(span, 11).map((event) => ({
      name: textAt(event, 2),
      at: msOf(fixedAt(event, 1)),
      attributes: attributesAt(event, 3),
    })),
    links: partsAt(span, 13).map((link) => ({
      traceId: hex(bytesAt(link, 1)),
      spanId: hex(bytesAt(link, 2)),
    })),
    status: { code: numberAt(status, 3), message: textAt(status, 2) },
  };
}

const attributesAt = (fields: Fields, number: number): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    partsAt(fields, number).map((pair) => {
      const [value = new Map()] = partsAt(pair, 2);
      return [textAt(pair, 1), valueOf(value)];
    }),
  );

/** Of the kinds that spans of ours have. */
function valueOf(value: Fields): Value {
  if (value.has(1)) return textAt(value, 1);
  if (value.has(3)) return numberAt(value, 3);
  if (value.has(4)) return Buffer.from(bytesAt(value, 4)).readDoubleLE();
  const [items] = partsAt(value, 5);
  return items === undefined ? undefined : partsAt(items, 1).map(valueOf);
}

export function spansOfJson(body: string): readonly ReceivedSpan[] {
  const request: unknown = JSON.parse(body);
  return list(object(request)['resourceSpans']).flatMap((group) => {
    const resource = attributesIn(object(object(group)['resource'])['attributes']);
    return list(object(group)['scopeSpans']).flatMap((scoped) => {
      const scope = text(object(object(scoped)['scope'])['name']);
      return list(object(scoped)['spans']).map((span) => spanIn(object(span), resource, scope));
    });
  });
}

function spanIn(
  span: Readonly<Record<string, unknown>>,
  resource: ReceivedSpan['resource'],
  scope: string,
): ReceivedSpan {
  const status = object(span['status']);
  const timeIn = (value: unknown): number => msOf(BigInt(String(value)));
  return {
    ...{ resource, scope },
    traceId: text(span['traceId']),
    spanId: text(span['spanId']),
    parentSpanId: text(span['parentSpanId']),
    name: text(span['name']),
    kind: Number(span['kind']),
    start: timeIn(span['startTimeUnixNano']),
    end: timeIn(span['endTimeUnixNano']),
    attributes: attributesIn(span['attributes']),
    events: list(span['events'])
      .map(object)
      .map((event) => ({
        name: text(event['name']),
        at: timeIn(event['timeUnixNano']),
        attributes: attributesIn(event['attributes']),
      })),
    links: list(span['links'])
      .map(object)
      .map((link) => ({
        traceId: text(link['traceId']),
        spanId: text(link['spanId']),
      })),
    status: { code: Number(status['code'] ?? 0), message: text(status['message']) },
  };
}

const attributesIn = (pairs: unknown): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    list(pairs)
      .map(object)
      .map((pair) => [text(pair['key']), valueIn(object(pair['value']))]),
  );

function valueIn(value: Readonly<Record<string, unknown>>): Value {
  if (typeof value['stringValue'] === 'string') return value['stringValue'];
  if (value['intValue'] !== undefined) return Number(value['intValue']);
  if (value['doubleValue'] !== undefined) return Number(value['doubleValue']);
  return list(object(value['arrayValue'])['values']).map((item) => valueIn(object(item)));
}
