// The processes of a recording, each with the witnesses that the simulator sets at the wire of one:
// what it asks for is judged by what it had been shown until then. Part of judge.ts.
import type { KubeRequest, WatchSink } from '#src/kube/transport/transport.ts';
import type { CliqueOracle } from '#test/sim/cliques/oracle.ts';
import type { Tag } from '#test/sim/oracles/ownerships.ts';
import { placeOf } from '#test/sim/oracles/place.ts';
import type { Witness } from '#test/sim/oracles/witness.ts';
import { Witnesses, type WitnessParts } from '#test/sim/oracles/witnesses.ts';
import type { PoolOracle } from '#test/sim/pools/oracle.ts';
import type { Wire } from '#test/sim/world/processes.ts';
import type { ProcessRecord } from '../recording/records.ts';
import type { Clocks } from './clocks.ts';
import { Repeats } from './repeats.ts';
import { type Played, requestKey } from './tape.ts';
import type { Trees } from './trees.ts';

/** A process on a busy machine may be this long about what it was shown. */
const digestMs = 2_000;

interface Parts extends Pick<
  WitnessParts,
  'store' | 'tally' | 'oracles' | 'terminations' | 'shards' | 'moment'
> {
  readonly clocks: Clocks;
  readonly pools: PoolOracle;
  readonly cliques: CliqueOracle;
  readonly violate: (what: string) => void;
  readonly trees: Trees;
}

interface Life {
  readonly life: number;
  readonly witnesses: Witnesses;
  readonly witness: Witness;
  readonly ofPools: Wire['witness'];
  readonly ofCliques: Wire['witness'];
  /** What it asked for and has no answer to, by id. */
  readonly asked: Map<number, KubeRequest>;
  readonly sinks: Map<string, WatchSink>;
}

export class Lives {
  readonly #parts: Parts;
  readonly #lives = new Map<number, Life>();
  readonly #repeats: Repeats;
  readonly #alive = new Set<number>();
  /** When requests were decided, by what they say: one may be asked for again. */
  readonly #decided = new Map<string, { readonly t: number; readonly tag: Tag }[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#repeats = new Repeats(parts);
  }

  begin(life: number): void {
    const { clocks, pools, cliques } = this.#parts;
    const clock = clocks.of(life);
    const isMisled = (): boolean => false;
    const witnesses = new Witnesses({ ...this.#parts, clock, isMisled, isDeaf: false, digestMs });
    this.#lives.set(life, {
      life,
      witnesses,
      witness: witnesses.call(life),
      ofPools: pools.call(life),
      ofCliques: cliques.call(life),
      asked: new Map(),
      sinks: new Map(),
    });
    this.#alive.add(life);
  }

  end(life: number): void {
    this.#alive.delete(life);
  }

  /** The most pods that any process that lives may take for wanted. */
  mostWanted(clique: string): number {
    const alive = [...this.#lives.values()].filter(({ life }) => this.#alive.has(life));
    return Math.max(0, ...alive.map((one) => one.witnesses.mostWanted(clique, [one])));
  }

  /** Whose a request is that came to the server at that time, and when it was decided; undefined
   *  where no process is known to have asked. */
  tagOf(key: string, cameAt: number): Tag | undefined {
    return this.#decided.get(key)?.findLast(({ t }) => t <= cameAt)?.tag;
  }

  take(life: number, line: ProcessRecord, played: Played): void {
    const one = this.#lives.get(life);
    if (one === undefined) return;
    if (line.is === 'event') return this.#event(one, line, played);
    if (line.is === 'lost') {
      one.witnesses.lost(life);
      this.#parts.cliques.lost(life);
      return this.#parts.pools.lost(life);
    }
    if (line.is === 'asks') return this.#asks(one, line);
    const request = one.asked.get(line.id);
    if (request === undefined) return;
    if (line.is === 'sends') return this.#of(one, request).sends(request);
    one.asked.delete(line.id);
    const answer = played.answer(request.path, line);
    this.#repeats.hears(life, request, answer);
    // All learn from what is shown.
    if (request.method === 'GET') {
      one.witness.hears(request, answer);
      one.ofCliques.hears(request, answer);
      return one.ofPools.hears(request, answer);
    }
    this.#of(one, request).hears(request, answer);
  }

  #asks(one: Life, { t, id, method, path, body }: Asked): void {
    const request: KubeRequest = { method, path, ...(body === undefined ? {} : { body }) };
    one.asked.set(id, request);
    const key = requestKey(one.life, request);
    if (method === 'GET') {
      one.witness.asks(request);
      return one.ofPools.asks(request);
    }
    this.#repeats.asks(one.life, request);
    const decided = this.#decided.get(key) ?? [];
    decided.push({ t, tag: { life: one.life, moment: this.#parts.moment() } });
    this.#decided.set(key, decided);
    this.#of(one, request).asks(request);
  }

  #event(one: Life, line: Extract<ProcessRecord, { is: 'event' }>, played: Played): void {
    const { path, type, object: reference } = line;
    const object = played.object(placeOf(path).collection, reference);
    if (object === undefined) return;
    const sink = one.sinks.get(path) ?? one.witness.overhears(path, deaf);
    one.sinks.set(path, sink);
    sink.event({ type, object });
  }

  /** Who judges a write: leases are of interest to the first alone. */
  #of(one: Life, request: KubeRequest): Wire['witness'] {
    const all = { grove: one.witness, pools: one.ofPools, cliques: one.ofCliques };
    return all[this.#parts.trees.groupOf(request)];
  }
}

type Asked = Extract<ProcessRecord, { is: 'asks' }>;

const deaf: WatchSink = { event: () => {}, closed: () => {} };
