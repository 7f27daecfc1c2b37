// Protobuf bodies as kubectl sends them, written here by hand field by field.
import { describe, expect, test } from 'vitest';
import { decodeProtobuf } from '#src/devcluster/protobuf/decode.ts';

type Part = Uint8Array;

function varint(value: bigint): Part {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  do {
    const more = left >> 7n;
    bytes.push(Number(left & 0x7fn) | (more > 0n ? 0x80 : 0));
    left = more;
  } while (left > 0n);
  return Uint8Array.from(bytes);
}

const tag = (number: number, kind: number): Part => varint(BigInt((number << 3) | kind));
const int = (number: number, value: number): Part =>
  Buffer.concat([tag(number, 0), varint(BigInt(value))]);
const message = (number: number, ...parts: readonly Part[]): Part => {
  const body = Buffer.concat(parts);
  return Buffer.concat([tag(number, 2), varint(BigInt(body.length)), body]);
};
const text = (number: number, value: string): Part => message(number, Buffer.from(value));

const envelope = (apiVersion: string, kind: string, ...fields: readonly Part[]): Uint8Array =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    message(1, text(1, apiVersion), text(2, kind)),
    message(2, ...fields),
    text(4, ''),
  ]);

describe('a protobuf body', () => {
  test('becomes the JSON that it stands for, without Go’s zero values', () => {
    const metadata = message(
      1,
      text(1, 'd'),
      text(2, ''),
      message(8),
      message(11, text(1, 'app'), text(2, 'd')),
    );
    const port = message(6, text(1, ''), int(2, 0), int(3, 80), text(4, ''));
    const limits = message(1, text(1, 'cpu'), message(2, text(1, '2')));
    const container = message(2, text(1, 'c'), text(2, 'x'), port, message(8, limits));
    const spec = message(2, int(1, 0), message(3, message(2, container)));
    expect(decodeProtobuf(envelope('apps/v1', 'Deployment', metadata, spec))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', labels: { app: 'd' } },
      spec: {
        replicas: 0,
        template: {
          spec: {
            containers: [
              {
                name: 'c',
                image: 'x',
                ports: [{ containerPort: 80 }],
                resources: { limits: { cpu: '2' } },
              },
            ],
          },
        },
      },
    });
  });

  test('knows inlined structs, bytes, times, numbers or texts, and negative numbers', () => {
    const source = message(2, message(6, text(1, 's')));
    const volume = message(1, text(1, 'v'), source);
    const pod = envelope('v1', 'Pod', message(2, volume, int(4, -1)));
    expect(decodeProtobuf(pod)['spec']).toEqual({
      volumes: [{ name: 'v', secret: { secretName: 's' } }],
      terminationGracePeriodSeconds: -1,
    });
    const secret = envelope('v1', 'Secret', message(2, text(1, 'k'), text(2, 'value')));
    expect(decodeProtobuf(secret)['data']).toEqual({ k: 'dmFsdWU=' });
    const byName = message(4, int(1, 1), text(3, 'http'));
    const service = envelope('v1', 'Service', message(2, message(1, int(3, 80), byName)));
    expect(decodeProtobuf(service)['spec']).toEqual({ ports: [{ port: 80, targetPort: 'http' }] });
    const lease = envelope(
      'coordination.k8s.io/v1',
      'Lease',
      message(2, message(3, int(1, 1767225600), int(2, 123456000))),
    );
    expect(decodeProtobuf(lease)['spec']).toEqual({ acquireTime: '2026-01-01T00:00:00.123456Z' });
  });

  test.each([
    ['that is none', Buffer.from('{"kind":"Pod"}'), /does not begin like/],
    [
      'of an unknown kind',
      envelope('example.io/v1', 'Widget'),
      /no protobuf form of example.io\/v1 Widget/,
    ],
    [
      'that is cut off',
      envelope('v1', 'Pod', text(1, 'abc')).subarray(0, 20),
      /bytes were announced/,
    ],
  ])('%s is refused', (_what, body, message) => {
    expect(() => decodeProtobuf(body)).toThrow(message);
  });
});
