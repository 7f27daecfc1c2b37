// The trace of a run: one line per request that the API server answered, hashed as they come, so
// that two runs of a seed can be told to be the same. Counts what the quiet and the storm oracle
// need to know.
import { createHash } from 'node:crypto';
import type { RequestLog, RequestRecord } from '#src/devcluster/requests.ts';

const reads = new Set(['get', 'list', 'watch']);

/** By which the requests of the controller under test are known. */
export const controllerAgent = 'coppice-controller';

export class Trace {
  readonly #hash = createHash('sha256');
  readonly #startedAt: number;
  /** Present when somebody wants to read it. */
  readonly lines: string[] | undefined;
  requests = 0;
  /** Writes of the controller that were answered with success, by verb and resource. */
  readonly writes = new Map<string, number>();
  writeCount = 0;
  lastWrite = '';
  /** Of leases, which go on for ever, and how many of them were refused. */
  leaseWrites = 0;
  leaseRefusals = 0;
  /** Refused creates of Secrets, which is how the controller looks after them. */
  secretLooks = 0;
  /** The most writes of the controller in one second of the run. */
  busiest = 0;
  #second = 0;
  #inSecond = 0;

  constructor(log: RequestLog, startedAt: number, keep: boolean) {
    this.#startedAt = startedAt;
    this.lines = keep ? [] : undefined;
    log.onRequest((record) => this.#take(record));
  }

  /** A line of its own, e.g. for a crash. */
  note(at: number, text: string): void {
    const line = `${((at - this.#startedAt) / 1000).toFixed(3)} ${text}`;
    this.#hash.update(`${line}\n`);
    this.lines?.push(line);
  }

  hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #countSecond(second: number): void {
    this.#inSecond = second === this.#second ? this.#inSecond + 1 : 1;
    this.#second = second;
    this.busiest = Math.max(this.busiest, this.#inSecond);
  }

  #takeLease(code: number): void {
    this.leaseWrites++;
    if (code >= 300) this.leaseRefusals++;
  }

  #take(record: RequestRecord): void {
    const { verb, resource, subresource, namespace, name, code, userAgent, at } = record;
    this.requests++;
    const what = subresource === '' ? resource : `${resource}/${subresource}`;
    const text = `${userAgent} ${verb} ${what} ${namespace}/${name} ${code}`;
    this.note(at, text);
    if (userAgent !== controllerAgent || reads.has(verb)) return;
    if (resource === 'leases') return this.#takeLease(code);
    if (resource === 'secrets' && verb === 'create' && code === 409) return void this.secretLooks++;
    this.writeCount++;
    this.#countSecond(Math.floor(at / 1000));
    this.lastWrite = text;
    if (code >= 300) return;
    const key = `${verb} ${what}`;
    this.writes.set(key, (this.writes.get(key) ?? 0) + 1);
  }
}
