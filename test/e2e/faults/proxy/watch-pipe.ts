// One watch on its way through the proxy, line by line: passed on, held back, coalesced, cut into
// pieces, or silent. api-proxy.ts makes one per watch that the server accepted.
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { at, text } from '#machines/kubernetes/json.ts';
import { Lag } from './lag.ts';
import { pieces } from './pieces.ts';
import type { ProxiedRequest } from './request.ts';
import type { Fault } from './rules.ts';

const newline = 0x0a;

export class WatchPipe {
  readonly request: ProxiedRequest;
  readonly #response: ServerResponse;
  /** Lines; undefined: the end of the stream. */
  readonly #lag = new Lag<Buffer | undefined>((line) => this.#pass(line));
  /** Newest line of each object, while events are gathered. */
  readonly #gathered = new Map<string, Buffer>();
  #rest: Buffer = Buffer.alloc(0);
  #isSilent = false;
  #isSplit = false;
  #lagMs = 0;
  #gatherMs = 0;
  #gathering: NodeJS.Timeout | undefined;
  /** Writes in order, also where one is cut into pieces. */
  #writing: Promise<void> = Promise.resolve();

  constructor(request: ProxiedRequest, response: ServerResponse) {
    this.request = request;
    this.#response = response;
    response.once('close', () => this.#stop());
  }

  /** From now on. Faults that are none of a stream change nothing. */
  suffer(fault: Fault): void {
    if (fault.type === 'split') this.#isSplit = true;
    else if (fault.type === 'lag') this.#lagMs = fault.ms;
    else if (fault.type === 'coalesce') this.#gatherMs = fault.ms;
    else if (fault.type === 'halfOpen') {
      this.#isSilent = true;
      this.#stop();
    }
  }

  /** Ends a fault; what was held because of it comes at once, in order. What a silent watch has
   *  lost stays lost, so it stays silent. */
  recover({ type }: Fault): void {
    if (type === 'split') this.#isSplit = false;
    if (type === 'lag') {
      this.#lagMs = 0;
      this.#lag.flush();
    }
    if (type !== 'coalesce') return;
    this.#gatherMs = 0;
    this.#release();
  }

  take(chunk: Buffer): void {
    if (this.#isSilent) return;
    let bytes = Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline)) {
      this.#line(bytes.subarray(0, end + 1));
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = bytes;
  }

  /** The server ended the stream. */
  end(): void {
    if (this.#isSilent) return;
    this.#release();
    this.#lag.put(undefined, this.#lagMs);
  }

  #line(line: Buffer): void {
    if (this.#gatherMs === 0) return this.#lag.put(line, this.#lagMs);
    const key = keyOf(line);
    // Set anew, so that it goes to the end: the order is that of the newest events.
    this.#gathered.delete(key);
    this.#gathered.set(key, line);
    this.#gathering ??= setTimeout(() => this.#release(), this.#gatherMs);
  }

  #release(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const lines = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const line of lines) this.#lag.put(line, this.#lagMs);
  }

  #pass(line: Buffer | undefined): void {
    const isSplit = this.#isSplit;
    this.#writing = this.#writing.then(async () => {
      if (line === undefined) return void this.#response.end();
      for (const piece of isSplit ? pieces(line) : [line]) {
        this.#response.write(piece);
        if (isSplit) await turn();
      }
    });
  }

  #stop(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#gathered.clear();
    this.#lag.drop();
  }
}

/** Bookmarks are one object for all, which is what they are: only the last one counts. */
function keyOf(line: Buffer): string {
  const event: unknown = JSON.parse(line.toString('utf8'));
  const metadata = at(event, 'object', 'metadata');
  return `${text(at(metadata, 'namespace'))}/${text(at(metadata, 'name'))}`;
}
