// V8's profiles in the form of pprof (`profile.proto`, gzipped): for `go tool pprof`, and for what
// collects profiles of a cluster. Called by profiling.ts.
import type { Profiler, Runtime } from 'node:inspector';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FunctionInput, type LocationInput, Profile, StringTable } from 'pprof-format';

/** A function as it was called from another one, with what was sampled in it alone. */
interface Call {
  readonly frame: Runtime.CallFrame;
  /** Undefined: nothing of ours called it. */
  readonly caller: Call | undefined;
  samples: number;
  /** Nanoseconds or bytes. */
  amount: number;
}

interface Measured {
  readonly calls: Iterable<Call>;
  /** Of `amount`, as Go's own profiles have it: `cpu` in `nanoseconds`. */
  readonly kind: readonly [type: string, unit: string];
  /** Of what a sample is taken, and after how much of it. */
  readonly period: { readonly type: string; readonly every: number };
  /** Milliseconds since the epoch. */
  readonly begunMs: number;
  readonly tookMs: number;
}

/** How a profile was taken. */
interface Taken {
  /** Milliseconds since the epoch. */
  readonly begunMs: number;
  readonly tookMs: number;
  /** After how much a sample was taken: microseconds of CPU time, bytes of memory. */
  readonly interval: number;
}

/** Where CPU time went. A sample counts for the time until the next one; time without work is left
 *  out, so that the total is CPU time as in Go's profiles. */
export function cpuToPprof(
  profile: Profiler.Profile,
  { begunMs, interval }: Omit<Taken, 'tookMs'>,
): Promise<Buffer> {
  const calls = callsOf(profile.nodes);
  const { samples = [], timeDeltas = [], startTime, endTime } = profile;
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    const until = index + 1 < samples.length ? at + (timeDeltas[index + 1] ?? 0) : endTime;
    count(calls.get(id), Math.max(0, until - at) * 1_000);
  }
  return encode({
    calls: calls.values(),
    kind: ['cpu', 'nanoseconds'],
    period: { type: 'cpu', every: interval * 1_000 },
    begunMs,
    tookMs: (endTime - startTime) / 1_000,
  });
}

/** What was allocated meanwhile and is still in use. V8 has made each sample as large as what it
 *  stands for; of how many objects that is it does not tell. */
export function heapToPprof(
  { head, samples }: HeapProfile,
  { begunMs, tookMs, interval }: Taken,
): Promise<Buffer> {
  const calls = callsOf(flat(head));
  for (const { nodeId, size } of samples) count(calls.get(nodeId), size);
  return encode({
    calls: calls.values(),
    kind: ['inuse_space', 'bytes'],
    period: { type: 'space', every: interval },
    begunMs,
    tookMs,
  });
}

/** As the protocol has it: @types/node leaves out the samples and the ids that they name. */
export interface HeapProfile {
  readonly head: HeapNode;
  readonly samples: readonly { readonly nodeId: number; readonly size: number }[];
}

interface HeapNode {
  readonly id: number;
  readonly callFrame: Runtime.CallFrame;
  readonly children: readonly HeapNode[];
}

interface Node {
  readonly id: number;
  readonly callFrame: Runtime.CallFrame;
  readonly children?: readonly number[] | undefined;
}

function flat(head: HeapNode): Node[] {
  const found = [head];
  for (const { children } of found) found.push(...children);
  return found.map((node) => ({ ...node, children: node.children.map(({ id }) => id) }));
}

const root = '(root)';
const idle = '(idle)';

/** By the id of their node; without the root, which pprof implies, and without idle time. Callers
 *  precede what they call. */
function callsOf(nodes: readonly Node[]): Map<number, Call> {
  const callers = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) callers.set(child, id);
  const calls = new Map<number, Call>();
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === root || callFrame.functionName === idle) continue;
    const caller = calls.get(callers.get(id) ?? -1);
    calls.set(id, { frame: callFrame, caller, samples: 0, amount: 0 });
  }
  return calls;
}

function count(call: Call | undefined, amount: number): void {
  if (call === undefined) return;
  call.samples += 1;
  call.amount += amount;
}

async function encode({ calls, kind, period, begunMs, tookMs }: Measured): Promise<Buffer> {
  const strings = new StringTable();
  const places = new Places(strings);
  const sample = [...calls]
    .filter(({ samples }) => samples > 0)
    .map((call) => ({
      locationId: stackOf(call).map((frame) => places.idOf(frame)),
      value: [call.samples, Math.round(call.amount)],
    }));
  const typed = (type: string, unit: string): { type: number; unit: number } => ({
    type: strings.dedup(type),
    unit: strings.dedup(unit),
  });
  const profile = new Profile({
    sampleType: [typed('samples', 'count'), typed(...kind)],
    defaultSampleType: strings.dedup(kind[0]),
    periodType: typed(period.type, kind[1]),
    period: period.every,
    timeNanos: BigInt(Math.round(begunMs)) * 1_000_000n,
    durationNanos: Math.round(tookMs * 1_000_000),
    sample,
    location: places.locations,
    function: places.functions,
    stringTable: strings,
  });
  return promisify(gzip)(await profile.encodeAsync());
}

/** The innermost first. */
function stackOf(call: Call): Runtime.CallFrame[] {
  const stack: Runtime.CallFrame[] = [];
  for (let at: Call | undefined = call; at !== undefined; at = at.caller) stack.push(at.frame);
  return stack;
}

/** Functions and where they are, each once. V8 tells a function's own line, not the one that ran:
 *  so there is one location for each. */
class Places {
  readonly functions: FunctionInput[] = [];
  readonly locations: LocationInput[] = [];
  readonly #ids = new Map<string, number>();
  readonly #strings: StringTable;

  constructor(strings: StringTable) {
    this.#strings = strings;
  }

  idOf(frame: Runtime.CallFrame): number {
    const key = `${frame.scriptId} ${frame.lineNumber} ${frame.columnNumber} ${frame.functionName}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.functions.length + 1; // 0 stands for none
    this.#ids.set(key, id);
    const line = frame.lineNumber + 1; // V8 counts from 0, and has -1 for none
    const filename = this.#strings.dedup(fileOf(frame));
    const name = this.#strings.dedup(nameOf(frame));
    this.functions.push({ id, name, systemName: name, filename, startLine: line });
    this.locations.push({ id, line: [{ functionId: id, line }] });
    return id;
  }
}

const fileOf = ({ url }: Runtime.CallFrame): string =>
  url.startsWith('file://') ? fileURLToPath(url) : url;

/** pprof adds up what has the same name: functions without one are told apart by their place. */
function nameOf(frame: Runtime.CallFrame): string {
  if (frame.functionName !== '') return frame.functionName;
  const file = basename(fileOf(frame));
  return file === '' ? '(anonymous)' : `(anonymous ${file}:${frame.lineNumber + 1})`;
}
