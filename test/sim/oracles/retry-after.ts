// Retry-After is obeyed: a 429 stops writes of its kind, and any other answer its request.
// Fed and asked by the wire of one process (faulty-transport.ts).
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import type { MortalClock } from '../faults/mortal-clock.ts';
import { textAt } from '../fields.ts';

export interface RetryAfterOptions {
  readonly own: MortalClock;
  /** The client did what it must not do. */
  readonly violate: (what: string) => void;
}

interface Pause {
  /** On the steady clock of the process. */
  readonly until: number;
  readonly ms: number;
}

export class RetryAfterOracle {
  readonly #options: RetryAfterOptions;
  /** By flow, or by request. */
  readonly #pauses = new Map<string, Pause>();
  /** What the server asked for with an answer. */
  readonly #asked = new WeakMap<KubeResponse, number>();

  constructor(options: RetryAfterOptions) {
    this.#options = options;
  }

  /** The server sends an answer that asks for a pause. */
  asked(response: KubeResponse, retryAfterMs: number): void {
    this.#asked.set(response, retryAfterMs);
  }

  /** An answer reaches the process. */
  hears(request: KubeRequest, response: KubeResponse): void {
    const ms = this.#asked.get(response);
    if (ms === undefined) return;
    const until = this.#options.own.steady() + ms;
    const isFlow = response.status === 429 && request.method !== 'GET';
    const key = isFlow ? flowOf(request) : requestOf(request);
    if (until > (this.#pauses.get(key)?.until ?? 0)) this.#pauses.set(key, { until, ms });
  }

  /** The process decides to send this. */
  judge(request: KubeRequest): void {
    const { own, violate } = this.#options;
    const flow = flowOf(request);
    if (flow === '') return;
    for (const key of [flow, requestOf(request)]) {
      const pause = this.#pauses.get(key);
      const earlyMs = (pause?.until ?? 0) - own.steady();
      // In the moment of the answer itself the client cannot have heard of it; clocks tell whole
      // milliseconds.
      if (pause === undefined || earlyMs < 1 || earlyMs >= pause.ms) {
        continue;
      }
      const what = `${request.method} ${request.path}`;
      violate(`${what} is sent ${earlyMs} ms before the ${pause.ms} ms of Retry-After are over`);
    }
  }
}

/** Writes of a kind, or lists of a kind; kinds of two groups may have the same name. Events are
 *  best effort, and a single object is read only after a write. */
export function flowOf({ method, path }: KubeRequest): string {
  const [bare = '', query = ''] = path.split('?', 2);
  const parts = bare.split('/');
  const at = parts.indexOf('namespaces');
  const plural = at < 0 ? parts.at(-1) : parts[at + 2];
  if (plural === 'events' || plural === 'leases') return '';
  const kind = parts[1] === 'apis' ? `${plural}.${parts[2]}` : plural;
  if (method === 'GET') return query.includes('limit=') ? `list ${kind}` : '';
  return `write ${kind}`;
}

/** All pages of a list are one, and lists with other selectors are others; objects that are
 *  created differ by name. */
function requestOf({ method, path, body }: KubeRequest): string {
  if (method !== 'GET') return `${method} ${path} ${textAt(body, 'metadata', 'name')}`;
  const [bare = '', query = ''] = path.split('?', 2);
  return `${bare} ${new URLSearchParams(query).get('labelSelector')}`;
}
