// The way of the watches of one process to the API server, and back: events are late, come again
// or out of turn, connections break or fall silent, and for a while the whole way may be dead while
// all else works. Part of faulty-transport.ts.
import type { Clock, Random } from '#actors/ports.ts';
import type { KubeTransport, WatchSink } from '#src/kube/transport/transport.ts';
import { expired, serverError } from './answers.ts';
import { LaggingPipe } from './lagging-pipe.ts';
import type { MortalClock } from './mortal-clock.ts';
import type { Rates } from './rates.ts';

export interface WatchPathOptions {
  readonly server: { readonly watch: KubeTransport['watch'] };
  readonly clock: Clock;
  readonly own: MortalClock;
  /** Of the order of events. */
  readonly ordering: Random;
  readonly chance: (name: keyof Rates, random?: Random) => boolean;
  readonly lag: () => number;
  readonly isAway: () => boolean;
}

/** What watches meet on a dead way: nobody says anything, nobody is there, an error, or an end at
 *  once. */
export const deaths = ['silence', 'refusal', 'error', 'end'] as const;
export type Death = (typeof deaths)[number];

/** How much later than it should an event comes that others overtake. */
const stragglerMs = 3_000;

interface OpenWatch {
  readonly fallSilent: () => void;
  readonly end: (error: Error) => void;
}

type Event = Parameters<WatchSink['event']>[0];

export class WatchPath {
  readonly #options: WatchPathOptions;
  readonly #open = new Set<OpenWatch>();
  /** Those that the client has not heard the end of. */
  #held: LaggingPipe[] = [];
  #death: Death | undefined;

  constructor(options: WatchPathOptions) {
    this.#options = options;
  }

  /** Watches that the client holds, half-open ones too. */
  get held(): number {
    this.#held = this.#held.filter(({ isOpen }) => isOpen);
    return this.#held.length;
  }

  /** Dead from now on; undefined: it works again, but what fell silent stays so. */
  kill(death: Death | undefined): void {
    this.#death = death;
    if (death === undefined) return;
    for (const watch of [...this.#open]) {
      if (death === 'silence') watch.fallSilent();
      else watch.end(new Error('the way of watches broke'));
    }
  }

  open(path: string, sink: WatchSink): () => void {
    const { clock, own, isAway } = this.#options;
    const pipe = new LaggingPipe(clock, (run) => own.deliver(run), sink);
    this.#held.push(pipe);
    const abort = (): void => pipe.end({ kind: 'aborted' });
    if (isAway()) {
      pipe.end({ kind: 'ended', error: new Error('no route to the API server') });
      return abort;
    }
    if (this.#death === undefined) return this.#follow(path, pipe);
    if (this.#death === 'refusal') pipe.end({ kind: 'ended', error: new Error('refused') });
    if (this.#death === 'error') pipe.end({ kind: 'refused', response: serverError });
    if (this.#death === 'end') pipe.end({ kind: 'ended' });
    return abort;
  }

  #follow(path: string, pipe: LaggingPipe): () => void {
    const { server, chance, isAway, lag } = this.#options;
    const leave = (): void => {
      this.#open.delete(watch);
      close();
    };
    const end = (error?: Error): void => {
      leave();
      pipe.end({ kind: 'ended', ...(error === undefined ? {} : { error }) });
    };
    const fallSilent = (): void => {
      leave();
      pipe.hang();
    };
    const watch: OpenWatch = { end, fallSilent };
    const close = server.watch(path, {
      event: (event) => {
        if (isAway() || chance('watchHang')) pipe.hang();
        if (chance('watchBreak')) end(new Error('watch connection reset'));
        else if (chance('watchExpire')) {
          pipe.event({ type: 'ERROR', object: expired }, lag());
          end();
        } else this.#bring(pipe, event);
      },
      closed: (reason) => {
        this.#open.delete(watch);
        pipe.end(reason);
      },
    });
    this.#open.add(watch);
    return () => {
      leave();
      pipe.end({ kind: 'aborted' });
    };
  }

  #bring(pipe: LaggingPipe, event: Event): void {
    const { chance, lag, ordering } = this.#options;
    const lagMs = lag();
    if (!chance('watchReorder', ordering)) pipe.event(event, lagMs);
    else pipe.straggler(event, lagMs + ordering.next() * stragglerMs);
    if (!chance('watchRepeat', ordering)) return;
    pipe.straggler(event, lagMs + ordering.next() * stragglerMs);
  }
}
