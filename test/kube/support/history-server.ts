// A server of one kind with a history, and every unkindness that a network and an API server can
// show to a reflector: lag, resets, silence, 410 in both forms, 429, 500, stale lists, repeats.
// Driven by a virtual clock and a seed.
import type { Clock, Random } from '#actors/ports.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
  WatchSink,
} from '#src/kube/transport/transport.ts';
import { handOver } from '#src/kube/watch/echo.ts';
import { bookmark, clique, list, status } from './objects.ts';

interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

const longestBehindMs = 10_000;

export class HistoryServer implements KubeTransport {
  /** Chance of trouble at each step; 0 heals the server. */
  trouble = 0.3;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #names: readonly string[];
  readonly #changes: Change[] = [];
  readonly #watches = new Set<() => void>();
  /** Lists whose pages are still being fetched. */
  readonly #snapshots: { readonly version: number; readonly objects: readonly KubeObject[] }[] = [];
  #version = 1;
  #compacted = 0;
  #uids = 0;
  #behindSince: number | undefined;

  constructor(clock: Clock, random: Random, names: readonly string[]) {
    this.#clock = clock;
    this.#random = random;
    this.#names = names;
  }

  // -- the world ----------------------------------------------------------------------------------

  /** What is there at a version, by name. */
  at(version = this.#version): Map<string, KubeObject> {
    const objects = new Map<string, KubeObject>();
    for (const change of this.#changes) {
      if (change.version > version) break;
      if (change.type === 'DELETED') objects.delete(change.object.metadata.name);
      else objects.set(change.object.metadata.name, change.object);
    }
    return objects;
  }

  isAlive(uid: string): boolean {
    return this.at()
      .values()
      .some((object) => object.metadata.uid === uid);
  }

  /** One change of one object; what was created or modified is returned, as a reply would. */
  change(): KubeObject | undefined {
    const name = this.#pick(this.#names);
    const before = this.at().get(name);
    this.#version += 1 + this.#below(3);
    const version = this.#version;
    if (before === undefined) {
      const object = clique({ name, uid: `${name}${++this.#uids}`, version });
      return this.#record('ADDED', object);
    }
    const object = clique({ name, uid: before.metadata.uid ?? '', version });
    if (this.#chance(0.5)) return this.#record('MODIFIED', object);
    this.#record('DELETED', object);
    return undefined;
  }

  /** Forgets the history up to now: older versions and continue tokens are 410 from here on. */
  compact(): void {
    this.#compacted = this.#version;
  }

  #record(type: Change['type'], object: KubeObject): KubeObject {
    this.#changes.push({ version: this.#version, type, object });
    for (const wake of this.#watches) wake();
    return object;
  }

  // -- lists --------------------------------------------------------------------------------------

  async request(request: KubeRequest): Promise<KubeResponse> {
    await this.#lag();
    if (this.#isTroubled()) {
      if (this.#chance(0.3)) throw new Error('connection reset');
      if (this.#chance(0.3)) return refusal(500, 'InternalError');
      if (this.#chance(0.3)) return refusal(429, 'TooManyRequests', { 'retry-after': '2' });
    }
    const query = new URLSearchParams(request.path.split('?', 2)[1]);
    const [snapshotAt, offset] = (query.get('continue') ?? `${this.#snapshot()}:0`)
      .split(':')
      .map(Number);
    const snapshot = this.#snapshots[snapshotAt ?? 0];
    if (snapshot === undefined || (offset !== 0 && snapshot.version < this.#compacted)) {
      return refusal(410, 'Expired');
    }
    const end = (offset ?? 0) + Number(query.get('limit'));
    const token = end < snapshot.objects.length ? `${snapshotAt}:${end}` : '';
    const body = list(snapshot.version, snapshot.objects.slice(offset, end), token);
    return { status: 200, headers: {}, body };
  }

  #snapshot(): number {
    const version = this.#isBehind() ? Math.max(1, this.#version - this.#below(20)) : this.#version;
    return this.#snapshots.push({ version, objects: [...this.at(version).values()] }) - 1;
  }

  /** For a while at most: one that stays behind is taken for restored from a backup. */
  #isBehind(): boolean {
    const now = this.#clock.now();
    const isOver = now - (this.#behindSince ?? now) > longestBehindMs;
    const isBehind = this.#isTroubled() && this.#chance(0.3) && !isOver;
    this.#behindSince = isBehind ? (this.#behindSince ?? now) : undefined;
    return isBehind;
  }

  // -- watches ------------------------------------------------------------------------------------

  watch(path: string, sink: WatchSink): () => void {
    const query = new URLSearchParams(path.split('?', 2)[1]);
    const from = Number(query.get('resourceVersion'));
    let isOpen = true;
    let isHalfOpen = false;
    let isPumping = false;
    let cancelTimeout = (): void => {};
    const close = (reason: Parameters<WatchSink['closed']>[0]): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#watches.delete(wake);
      cancelTimeout();
      sink.closed(reason);
    };
    // Now and then a resumed watch starts a little too early and repeats what was told.
    let sent = this.#isTroubled() ? Math.max(this.#compacted, from - 5) : from;
    const pump = async (): Promise<void> => {
      await this.#lag();
      for (;;) {
        if (!isOpen || isHalfOpen) return;
        if (this.#isTroubled(0.3)) return this.#harm(sink, close, () => (isHalfOpen = true));
        const [next, second] = this.#after(sent);
        if (next === undefined) break;
        // No server promises less than order, and each event once; nothing may depend on it.
        const isSwapped = second !== undefined && this.#isTroubled(0.5);
        sent = (isSwapped ? second : next).version;
        for (const { type, object } of isSwapped ? [second, next] : [next]) {
          for (let times = this.#isTroubled(0.3) ? 2 : 1; times > 0; times--) {
            handOver(sink, { type, object });
          }
        }
        if (this.#chance(0.3)) await this.#lag();
      }
      if (this.#chance(0.3)) {
        sent = Math.max(sent, this.#version);
        sink.event({ type: 'BOOKMARK', object: bookmark(sent) });
      }
    };
    const wake = (): void => {
      if (isPumping) return;
      isPumping = true;
      void pump().finally(() => {
        isPumping = false;
        if (isOpen && !isHalfOpen && this.#changes.some((change) => change.version > sent)) wake();
      });
    };
    if (from < this.#compacted) {
      this.#clock.soon(() => close({ kind: 'refused', response: refusal(410, 'Expired') }));
    } else {
      this.#watches.add(wake);
      const timeoutMs = Number(query.get('timeoutSeconds')) * 1000;
      cancelTimeout = this.#clock.at(this.#clock.now() + timeoutMs, () => {
        if (!isHalfOpen) close({ kind: 'ended' });
      });
      wake();
    }
    return () => close({ kind: 'aborted' });
  }

  /** The next two changes. */
  #after(version: number): readonly Change[] {
    const at = this.#changes.findIndex((change) => change.version > version);
    return at < 0 ? [] : this.#changes.slice(at, at + 2);
  }

  #harm(
    sink: WatchSink,
    close: (reason: Parameters<WatchSink['closed']>[0]) => void,
    mute: () => void,
  ): void {
    const harms = [
      () => close({ kind: 'ended' }),
      () => close({ kind: 'ended', error: new Error('reset') }),
      () => close({ kind: 'refused', response: refusal(500, 'InternalError') }),
      () => close({ kind: 'refused', response: refusal(429, 'TooManyRequests') }),
      () => sink.event({ type: 'ERROR', object: status(410, 'Expired') }),
      () => sink.event({ type: 'ERROR', object: status(500, 'InternalError') }),
      mute,
    ];
    this.#pick(harms)();
  }

  // -- chance -------------------------------------------------------------------------------------

  #isTroubled(factor = 1): boolean {
    return this.#chance(this.trouble * factor);
  }

  #lag(): Promise<void> {
    const ms = this.trouble === 0 ? 1 : this.#below(800);
    return new Promise((go) => this.#clock.at(this.#clock.now() + ms, go));
  }

  #chance(of: number): boolean {
    return this.#random.next() < of;
  }

  #below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[this.#below(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

const refusal = (code: number, reason: string, headers = {}): KubeResponse => ({
  status: code,
  headers,
  body: status(code, reason),
});
