// Reports as Knative's autoscaler takes them: protobuf, WireStatMessages of
// pkg/autoscaler/metrics/stat.proto at serving 98e5ef90 (spec activator 1.10). Three messages of
// strings and doubles, so there is no generated code.
import type { Report } from './ledger.ts';

export interface Reporter {
  /** Of this activator, fixed from its start (H-136). */
  readonly pod: string;
  /** Seconds, with fractions (H-124). */
  readonly uptime: number;
}

const varintType = 0x7f;
const delimited = 2;
const fixed64 = 1;

/** The time is stamped by who receives it (H-122). */
export const encodeReports = (batch: readonly Report[], reporter: Reporter): Buffer =>
  Buffer.concat(batch.map((report) => field(1, wireStat(report, reporter))));

function wireStat({ revision, concurrency, count }: Report, { pod, uptime }: Reporter): Buffer {
  const slash = revision.indexOf('/');
  // Nothing of it went through another proxy: what the pods count as proxied is ours (H-121).
  const stat = Buffer.concat([
    text(1, pod),
    double(2, concurrency),
    double(4, count),
    double(6, uptime),
  ]);
  return Buffer.concat([
    text(1, revision.slice(0, slash)),
    text(2, revision.slice(slash + 1)),
    field(3, stat),
  ]);
}

const text = (number: number, value: string): Buffer => field(number, Buffer.from(value, 'utf8'));

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | delimited]), varint(content.length), content]);

/** Zero is the default, which is not written. */
function double(number: number, value: number): Buffer {
  if (value === 0) return Buffer.alloc(0);
  const buffer = Buffer.alloc(9);
  buffer.writeUInt8((number << 3) | fixed64);
  buffer.writeDoubleLE(value, 1);
  return buffer;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > varintType; left >>>= 7) bytes.push((left & varintType) | 0x80);
  return Buffer.from([...bytes, left]);
}
