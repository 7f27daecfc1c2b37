// Frames of HTTP/2 by hand (RFC 9113, 4.1), for what no client library would send.
import { revisionKey } from '#test/machines/activator/objects.ts';

const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const endStream = 1;
export const endHeaders = 4;

interface Frame {
  readonly type: keyof typeof frameTypes;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Buffer;
}

const none = Buffer.alloc(0);

export function frame({ type, flags = 0, stream = 0, payload = none }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(frameTypes[type], 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const firstBytes = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const preface = Buffer.concat([firstBytes, frame({ type: 'settings' })]);

/** Literal fields without an index and without Huffman's code (RFC 7541, 6.2.2), as they are. */
export const block = (fields: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), lengthAnd(name), lengthAnd(value)]),
  );

/** An integer of a prefix of seven bits (RFC 7541, 5.1), and the bytes. */
function lengthAnd(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** Those that every request for the revision has. */
export const usualFields: readonly (readonly [string, string])[] = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'hello.example'],
  [':path', '/'],
  ['knative-serving-namespace', revisionKey.namespace],
  ['knative-serving-revision', revisionKey.name],
];

/** The code of an error as RST_STREAM has it; undefined: it was not sent. */
export function resetCodeIn(received: Buffer): number | undefined {
  for (const { type, payload } of framesIn(received)) {
    if (type === frameTypes.reset) return payload.readUInt32BE(0);
  }
  return undefined;
}

/** Whether there is a request in what a client has sent. */
export const isAsked = (received: Buffer): boolean =>
  framesIn(received.subarray(firstBytes.length)).some(({ type }) => type === frameTypes.headers);

function* framesIn(bytes: Buffer): Generator<{ readonly type: number; readonly payload: Buffer }> {
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end <= bytes.length)
      yield { type: bytes.readUInt8(at + 3), payload: bytes.subarray(at + 9, end) };
    at = end;
  }
}
