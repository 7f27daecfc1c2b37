// The inspector behind its own listener, with actors and an API server of the test's making: rows
// and facts come when the test says so, tokens are known by `token-of-<user>`, and time stands
// still. For the tests of its routes and of who may use them.
import type { ActorRow } from '#actors/history/history.ts';
import { FactRing } from '#actors/history/ring.ts';
import type { Answer, Ask, Clock, Fact, HandOn, ShardLease, ShardOwner } from '#actors/ports.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { LocalAccess } from '#src/inspector/server/local.ts';
import type { Process, Source } from '#src/inspector/server/source.ts';
import { type Inspector, startInspector } from '#src/inspector/server/start.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { type Reviews, reviews } from '#test/questions/served.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

export const clique = (name: string, namespace = 'default'): ActorKey => ({
  kind: 'podclique',
  namespace,
  name,
});

/** Actors without a runtime. */
export class FakeActors implements Source {
  readonly history = new FactRing({ capacity: 1_000 });
  readonly asks: Ask[] = [];
  readonly #rows = new Map<string, ActorRow>();
  /** Places of the newest facts then. */
  readonly #changedAt = new Map<ActorKey, number>();
  readonly #listeners = new Set<(key: ActorKey) => void>();
  readonly #clock: Clock;
  answer: (ask: Ask) => Answer = () => ({ ok: true, data: { answered: true } });
  waiting: ReturnType<Source['blocked']> = [];
  /** Who owns all actors; undefined: this process. */
  handsOnTo: ShardOwner | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds or changes it. */
  set(key: ActorKey, more: Partial<ActorRow> = {}): void {
    const id = actorId(key);
    const before = this.#rows.get(id) ?? {
      key,
      machine: key.kind,
      state: 'running',
      parent: undefined,
      since: 0,
      restarts: 0,
      parked: false,
      mailbox: 0,
    };
    this.#rows.set(id, { ...before, ...more });
    this.#changedAt.set(key, this.history.newest);
    for (const listener of this.#listeners) listener(key);
  }

  remove(key: ActorKey): void {
    this.#rows.delete(actorId(key));
    this.fact(key, { what: 'ended' });
    for (const listener of this.#listeners) listener(key);
  }

  fact(about: ActorKey, more: Partial<Fact> = {}): void {
    const id = `f${this.history.newest + 1}`;
    const at = this.#clock.now();
    this.history.add({ id, cause: '', trace: id, at, about, what: 'decided', data: {}, ...more });
  }

  get followers(): number {
    return this.#listeners.size;
  }

  rows = (): Iterable<ActorRow> => this.#rows.values();
  row = (actor: string): ActorRow | undefined => this.#rows.get(actor);
  *changedSince(place: number): Iterable<ActorKey> {
    for (const [key, at] of this.#changedAt) if (at >= place) yield key;
  }
  blocked = (): ReturnType<Source['blocked']> => this.waiting;
  onRow = (listener: (key: ActorKey) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  ask = (ask: Ask, handOn?: HandOn): Promise<Answer> => {
    this.asks.push(ask);
    const owner = this.handsOnTo;
    if (owner === undefined || handOn === undefined) return Promise.resolve(this.answer(ask));
    return handOn(owner, ask, 5_000);
  };
}

export interface ServedInspector {
  readonly inspector: Inspector;
  readonly actors: FakeActors;
  readonly clock: VirtualClock;
  readonly seen: Reviews;
  readonly local: LocalAccess;
  readonly logged: string[];
  get(path: string, more?: RequestInit & { readonly user?: string }): Promise<Got>;
}

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  // What a route answers is JSON of many forms.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface ServeOptions {
  readonly may?: Parameters<typeof reviews>[0];
  readonly transport?: KubeTransport;
  readonly lease?: ShardLease;
  readonly peer?: Process['peer'];
  readonly settings?: Partial<Configuration['inspector']>;
}

const nowhere = {
  server: 'https://127.0.0.1:1',
  namespace: 'default',
  tls: { insecure: false },
  credentials: { current: () => Promise.resolve({ headers: {} }), refused: () => {} },
};

let processes = 0;

/** Every token is valid, and everybody may do everything, unless the options say otherwise. */
export async function serveInspector(options: ServeOptions = {}): Promise<ServedInspector> {
  const clock = new VirtualClock();
  const actors = new FakeActors(clock);
  const seen = reviews(options.may ?? (() => true));
  const local = new LocalAccess();
  const logged: string[] = [];
  const settings = { enabled: true, port: 0, ...options.settings };
  const inspector = await startInspector({
    configuration: {
      ...defaultConfiguration,
      inspector: { ...defaultConfiguration.inspector, ...settings },
    },
    connection: nowhere,
    transport: options.transport ?? seen.transport,
    clock,
    ids: { next: () => `p${++processes}` },
    log: { line: (_, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`) },
    version: '1.2.3',
    local,
    source: actors,
    lease: options.lease ?? soleOwner(2),
    traffic: { answers: () => ({ 200: 4, 409: 1 }), writesPerSecond: () => 2 },
    reflection: () => undefined,
    peer: options.peer ?? (() => undefined),
  });
  const get: ServedInspector['get'] = async (path, { user = 'alice', ...more } = {}) => {
    const response = await fetch(`${inspector.url}${path}`, {
      redirect: 'manual',
      ...more,
      headers: {
        ...(user === '' ? {} : { authorization: `Bearer token-of-${user}` }),
        ...more.headers,
      },
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return { inspector, actors, clock, seen, local, logged, get };
}

/** Reads events of a stream, one at a time. */
export class Events {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';
  #isDone = false;

  constructor(response: Response) {
    if (response.body === null) throw new Error('no body');
    this.#chunks = response.body[Symbol.asyncIterator]();
  }

  /** The next one that is no sign of life and not about shards; undefined: it has ended. */
  // Events have many forms.
  // oxlint-disable-next-line typescript/no-explicit-any
  async next(skips = ['shards', 'ping']): Promise<any> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const [event = '', data = ''] = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 2);
        const type = event.replace('event: ', '');
        if (skips.includes(type)) continue;
        return { type, ...JSON.parse(data.replace('data: ', '')) };
      }
      if (this.#isDone) return undefined;
      const { done, value } = await this.#chunks.next();
      this.#isDone = done === true;
      if (!this.#isDone) this.#text += this.#decoder.decode(value, { stream: true });
    }
  }
}

export async function openStream(
  { inspector }: ServedInspector,
  query = '',
  { user = 'alice', token = '' } = {},
): Promise<{ readonly status: number; readonly events: Events; readonly end: () => void }> {
  const abort = new AbortController();
  const response = await fetch(`${inspector.url}/api/v1/stream${query}`, {
    headers: { authorization: `Bearer ${token || `token-of-${user}`}` },
    signal: abort.signal,
  });
  return { status: response.status, events: new Events(response), end: () => abort.abort() };
}
