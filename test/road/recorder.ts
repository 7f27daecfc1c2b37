// Loaded into the controller before its own modules (drive.ts). On order it records, by V8's
// precise coverage, which product files run a function from the arrival of a line of a watch until
// each of some requests is made. undici tells of both on its diagnostics channels, so nothing of
// the product has a part in it, and nothing of the product is called from here.
import { createHook } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { type Profiler, Session } from 'node:inspector';

export interface Order {
  /** The road begins when a line of a watch arrives that matches this pattern. */
  readonly line: string;
  /** It leads from request to request, each `count` times. */
  readonly requests: readonly Wanted[];
}

interface Wanted {
  /** In words, for the reader. */
  readonly until: string;
  readonly method: string;
  readonly path: string;
  readonly count: number;
  /** Part of its body. */
  readonly body?: string;
}

/** The road up to a request; a station holds the product files that ran in one callback. */
export interface Stretch {
  readonly until: string;
  readonly stations: readonly (readonly string[])[];
}

export interface Recorded {
  readonly stretches: readonly Stretch[];
}

const root = new URL('../../', import.meta.url).href;
const product = /^(?:machines|actors|bus|src)\//;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Product files of which a function ran since the last call. `post` answers before it returns. */
function executed(): readonly string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_, coverage) => {
    scripts = coverage.result;
  });
  return scripts
    .filter(({ url, functions }) => url.startsWith(root) && functions.some(hasRun))
    .map(({ url }) => url.slice(root.length))
    .filter((path) => product.test(path));
}

const hasRun = ({ ranges }: Profiler.FunctionCoverage): boolean =>
  ranges.some(({ count }) => count > 0);

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

class Recording {
  readonly #order: Order;
  readonly #line: RegExp;
  readonly #stretches: Stretch[] = [];
  readonly done = Promise.withResolvers<Recorded>();
  /** The beginning of a line whose end has not come, by its request. */
  readonly #halves = new Map<unknown, string>();
  /** Each callback of the event loop is a station. */
  readonly #turns = createHook({ before: () => this.#arrive() });
  #stations: (readonly string[])[] = [];
  #isUnderWay = false;
  /** Requests of the stretch that are still to come. */
  #left: number;

  constructor(order: Order) {
    this.#order = order;
    this.#line = new RegExp(order.line);
    this.#left = order.requests[0]?.count ?? 0;
  }

  chunk(request: unknown, chunk: string): void {
    if (this.#isUnderWay || this.#left === 0) return;
    const lines = ((this.#halves.get(request) ?? '') + chunk).split('\n');
    this.#halves.set(request, lines.at(-1) ?? '');
    if (!lines.some((line) => this.#line.test(line))) return;
    this.#isUnderWay = true;
    executed();
    this.#turns.enable();
  }

  request({ method, path, body }: Request): void {
    const wanted = this.#order.requests[this.#stretches.length];
    if (!this.#isUnderWay || wanted === undefined) return;
    if (method !== wanted.method || path !== wanted.path) return;
    if (!String(body).includes(wanted.body ?? '')) return;
    this.#left--;
    if (this.#left > 0) return;
    this.#arrive();
    this.#stretches.push({ until: wanted.until, stations: this.#stations });
    this.#stations = [];
    this.#left = this.#order.requests[this.#stretches.length]?.count ?? 0;
    if (this.#left > 0) return;
    this.#turns.disable();
    this.#isUnderWay = false;
    this.done.resolve({ stretches: this.#stretches });
  }

  #arrive(): void {
    const files = executed();
    if (files.length > 0) this.#stations.push(files);
  }
}

let recording: Recording | undefined;

subscribe('undici:request:bodyChunkReceived', (message) => {
  const { request, chunk } = message as { request: unknown; chunk: Buffer };
  recording?.chunk(request, chunk.toString());
});
subscribe('undici:request:create', (message) => {
  recording?.request((message as { request: Request }).request);
});
process.on('message', (message) => {
  const order = message as Order | { readonly ask: 'result' };
  if ('ask' in order) {
    void recording?.done.promise.then((recorded) => process.send?.(recorded));
    return;
  }
  recording = new Recording(order);
  process.send?.({ armed: true });
});
