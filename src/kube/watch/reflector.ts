// Keeps one kind in step with the API server: a complete list, then watches, each resumed where the
// last one ended. What it sees goes to `emit` in order; it keeps no objects. client.ts starts one
// per kind. Decisions are in backoff.ts and object-index.ts, this file only carries them out.
import type { Observation } from '#actors/ports.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import { apiVersionOf, mayBeMissing, type Kind } from '#machines/kinds.ts';
import { editorsOf } from '#machines/kubernetes/editors.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isOlder } from '#machines/kubernetes/versions.ts';
import * as limits from '../limits.ts';
import { selectorOf, watchPath } from '../paths.ts';
import { abortable } from './abortable.ts';
import { afterList, afterProbe, afterWatch, noTrouble, type Step } from './backoff.ts';
import { CrdBackoff } from './crd-backoff.ts';
import { History } from './history.ts';
import { listAll, probe } from './list.ts';
import { ObjectIndex, type Learned } from './object-index.ts';
import { Outages } from './outages.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { Refreshes } from './refreshes.ts';
import { WatchHealth, type ReflectorHealth } from './watch-health.ts';
import { openWatch, type WatchEvent, type WatchOver } from './watch.ts';

export class Reflector {
  readonly kind: Kind;
  /** Settles after the first complete list, and rejects with STOPPING when stopped before. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions;
  readonly #emit: (observation: Observation) => void;
  readonly #index: ObjectIndex;
  readonly #watchHealth: WatchHealth;
  readonly #sync = Promise.withResolvers<void>();
  /** Ends the run under way; undefined while paused. */
  #run: AbortController | undefined;
  #isSynced = false;
  #phase: ReflectorHealth['phase'] = 'paused';
  #trouble = noTrouble;
  #lists = 0;
  #watches = 0;
  readonly #history: History;
  #next: Step['next'] = 'list';
  readonly #crdBackoff: CrdBackoff;
  readonly #outages: Outages;
  readonly #refreshes: Refreshes;

  constructor(kind: Kind, emit: (observation: Observation) => void, options: ReflectorOptions) {
    this.kind = kind;
    this.#emit = emit;
    this.#options = options;
    const isFiltered = selectorOf(kind) !== undefined && options.scope === undefined;
    this.#index = new ObjectIndex(kind, isFiltered);
    this.#watchHealth = new WatchHealth(kind, options);
    this.#history = new History(kind, options.clock);
    this.synced = this.#sync.promise;
    this.#crdBackoff = new CrdBackoff(options.clock);
    this.#outages = options.outages ?? new Outages(options.clock);
    this.#refreshes = new Refreshes(this.#outages);
    // Nobody has to wait for it; a stop before the first list is no crash.
    this.synced.catch(() => {});
  }

  /** Starts, or goes on where `pause` left off. */
  resume(): void {
    if (this.#run !== undefined || this.#history.lost !== undefined) return;
    this.#run = new AbortController();
    void this.#keepUp(this.#run.signal);
  }

  /** Closes what is open. What happens meanwhile is made up for on `resume`. */
  pause(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#phase = 'paused';
  }

  stop(): void {
    this.pause();
    this.#sync.reject(new CoppiceError('STOPPING', `${this.kind}: stopped before the first list`));
  }

  /** Resolves when a list is complete that was asked for after this call, however late the watch
   *  is; several that ask at a time share one. Never after a stop. */
  refresh(): Promise<void> {
    return this.#refreshes.ask();
  }

  /** Takes note of an object that a reply to a write has shown; see ObjectIndex.learn. */
  learn(object: KubeObject): Learned {
    return this.#index.learn(object);
  }

  /** The newest version that anything has told of. */
  get newest(): string {
    return this.#index.newest;
  }

  /** A write failed for want of the CRD: it is looked for at once, and often for a while. */
  wanted(): void {
    this.#crdBackoff.wanted();
  }

  health(): ReflectorHealth {
    return {
      kind: this.kind,
      phase: this.#phase,
      synced: this.#isSynced,
      objects: this.#index.size,
      lists: this.#lists,
      watches: this.#watches,
      ...this.#watchHealth.health(),
    };
  }

  async #keepUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const step = await this.#step(signal);
      if (signal.aborted) return;
      this.#next = step.next;
      this.#trouble = step.trouble;
      if (step.isAway === true) this.#outages.notice();
      if (step.waitMs > 0) await this.#wait(step.waitMs, signal);
    }
  }

  #step(signal: AbortSignal): Promise<Step> {
    if (this.#next === 'list' || this.#refreshes.isWanted) return this.#list(signal);
    if (this.#next === 'probe') return this.#probe(signal);
    return this.#watchHealth.isListDue ? this.#list(signal) : this.#watch(signal);
  }

  // -- list ---------------------------------------------------------------------------------------

  async #list(signal: AbortSignal): Promise<Step> {
    const { transport, clock, random, scope, pageSize = limits.listPageSize } = this.#options;
    const [index, history] = [this.#index, this.#history];
    this.#phase = 'listing';
    this.#crdBackoff.looking();
    const { newest } = index;
    index.asking();
    this.#refreshes.listing();
    this.#lists += 1;
    const outcome = await listAll({
      transport,
      clock,
      kind: this.kind,
      pageSize,
      scope,
      signal,
      begin: (version) => {
        if (isOlder(version, newest)) return history.stale(version, newest);
        history.current();
        index.beginList(version);
        return undefined;
      },
      object: (object, raw) => {
        if (signal.aborted || history.lost !== undefined) return;
        if (index.contradicts(object)) history.contradicted(object);
        // No fact is told of what the first list finds.
        else this.#emitAll(index.listed(object, this.#isSynced ? editorsOf(raw) : undefined));
      },
    });
    if (signal.aborted) return { next: 'list', waitMs: 0, trouble: this.#trouble };
    if (history.lost !== undefined) return this.#end(history.lost);
    if (!outcome.ok) {
      if (outcome.code === 'NOT_FOUND' && mayBeMissing(this.kind)) return this.#absent();
      this.#watchHealth.failed('list', outcome);
      return afterList(outcome, this.#trouble, random);
    }
    this.#emitAll(index.endList(outcome.version));
    this.#listed();
    if (this.#crdBackoff.found()) {
      this.#watchHealth.say('info', 'the kind is served now');
      this.#options.served?.(this.kind);
    }
    return { next: 'resume', waitMs: 0, trouble: { ...this.#trouble, refusals: 0 } };
  }

  /** Asks whether the server is still where it was. */
  async #probe(signal: AbortSignal): Promise<Step> {
    const { transport, clock, random, scope } = this.#options;
    const { newest } = this.#index;
    const outcome = await probe({ transport, clock, kind: this.kind, scope, signal });
    const trouble = this.#trouble;
    if (!outcome.ok) return afterProbe(outcome, trouble, random);
    if (isOlder(outcome.version, newest)) return { next: 'list', waitMs: 0, trouble };
    this.#watchHealth.proved();
    return { next: 'resume', waitMs: 0, trouble };
  }

  /** The cluster does not serve the kind: there are no objects, until it does. */
  #absent(): Step {
    this.#history.current();
    this.#emitAll(this.#index.absent());
    this.#listed();
    return { next: 'list', waitMs: this.#crdBackoff.missing(), trouble: noTrouble };
  }

  /** Nothing can be believed any more. */
  #end(error: CoppiceError): Step {
    const fields = { code: error.code, error: error.message };
    this.#watchHealth.say('error', 'the server was restored from a backup', fields);
    this.pause();
    this.#options.lost?.(error);
    return { next: 'list', waitMs: 0, trouble: this.#trouble };
  }

  #listed(): void {
    this.#watchHealth.heard();
    this.#options.listed?.(this.#index.version);
    this.#refreshes.listed();
    if (this.#isSynced) return;
    this.#isSynced = true;
    const fields = { objects: this.#index.size, apiVersion: apiVersionOf(this.kind) };
    this.#watchHealth.say('info', 'the first list is complete', fields);
    this.#sync.resolve();
  }

  // -- watch --------------------------------------------------------------------------------------

  async #watch(signal: AbortSignal): Promise<Step> {
    const { transport, clock, random, scope } = this.#options;
    const { least, most } = limits.watchTimeoutSeconds;
    const drawn = least + Math.floor(random.next() * (most - least + 1));
    const isProving = this.#trouble.failures > 0;
    const leftMs = limits.watchSilenceMs - this.#watchHealth.unprovenMs;
    const silenceMs = isProving ? limits.provingWatchMs : leftMs;
    const longest = Math.floor((silenceMs - limits.watchMarginMs) / 1000);
    this.#phase = 'watching';
    this.#watches += 1;
    const over = await abortable<WatchOver | undefined>(signal, (done) => {
      const close = openWatch({
        transport,
        clock,
        kind: this.kind,
        path: watchPath(this.kind, this.#index.version, Math.min(drawn, longest), scope),
        silenceMs,
        event: (event) => this.#heard(event),
        isEcho: (version) => this.#isEcho(version),
        over: done,
      });
      this.#refreshes.watching(() => {
        close();
        done(undefined);
      });
      return close;
    });
    this.#refreshes.watching();
    if (over === undefined) return { next: 'resume', waitMs: 0, trouble: this.#trouble };
    if (over.failure !== undefined) this.#watchHealth.failed('watch', over.failure);
    else if (over.silent) this.#watchHealth.say('info', 'the watch fell silent');
    return afterWatch(over, this.#trouble, random);
  }

  #heard(event: WatchEvent): void {
    if (event.type === 'bookmark') {
      if (this.#index.bookmark(event.version)) this.#watchHealth.heard();
      return;
    }
    this.#watchHealth.heard();
    const { object } = event;
    if (event.type === 'deleted') return this.#emitAll(this.#index.deleted(object));
    this.#emitAll(this.#index.changed(object, event.editors));
  }

  #isEcho(version: string): boolean {
    const { echoed } = this.#options;
    if (echoed === undefined || !this.#index.echoed(version)) return false;
    this.#watchHealth.heard();
    echoed(this.kind, version);
    return true;
  }

  // -- common -------------------------------------------------------------------------------------

  #emitAll(observations: readonly Observation[]): void {
    for (const observation of observations) {
      try {
        this.#emit(observation);
      } catch (error) {
        // A fault of who listens must not cost everybody the facts that follow.
        this.#watchHealth.say('error', 'an observation was not taken', { error: String(error) });
      }
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    this.#phase = 'waiting';
    await abortable<void>(signal, (done) => {
      const cancel = clock.at(clock.now() + ms, done);
      this.#crdBackoff.pausing(() => {
        cancel();
        done();
      });
      return cancel;
    });
    this.#crdBackoff.pausing();
  }
}
