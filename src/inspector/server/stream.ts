// What one viewer is sent: batches in order, as far as the viewer may see them and takes them. A
// viewer that does not read is not waited for: what does not fit is let go, and the viewer lists
// anew. Opened and ended by streams.ts.
import type { ServerResponse } from 'node:http';
import type { Clock } from '#actors/ports.ts';
import type { Missing, StreamEvent } from '#src/inspector/protocol.ts';
import type { Access, Viewer } from './access.ts';
import { frameOf, type Frames, type FactsWanted } from './frames.ts';
import { batchesWaiting, reviewedMs, stalledMs, unreviewedMs } from './limits.ts';
import type { OthersSeen } from './changes.ts';
import type { Others } from './others.ts';
import { freshHeaders } from './replies.ts';

export interface StreamOptions {
  readonly viewer: Viewer;
  readonly response: ServerResponse;
  readonly facts: FactsWanted;
  readonly access: Access;
  readonly others: Others;
  readonly seen: OthersSeen;
  readonly clock: Clock;
  /** Of what it has been sent, or has listed, so far. */
  readonly sequence: number;
  readonly onError: (error: unknown) => void;
}

export class Stream {
  readonly #options: StreamOptions;
  #viewer: Viewer;
  /** On the steady clock: when it was reviewed with success. */
  #reviewedAt: number;
  /** When the viewer stopped to take what is sent; undefined: it takes it. */
  #stalledAt: number | undefined;
  /** Why something was let go. */
  #lost: string | undefined;
  #sequence: number;
  #waiting = 0;
  #isReviewing = false;
  #last: Promise<void> = Promise.resolve();
  /** Who owns what, as it was told last. */
  #shards = '';

  constructor(options: StreamOptions) {
    const { response, viewer, clock } = options;
    this.#options = options;
    this.#viewer = viewer;
    this.#sequence = options.sequence;
    this.#reviewedAt = clock.steady();
    response.writeHead(200, {
      ...freshHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      // Of proxies that would collect it.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    response.on('drain', () => this.#drained());
  }

  get user(): string {
    return this.#viewer.user;
  }

  /** What comes after it waits until the rights to it are known. */
  batch(frames: Frames): void {
    if (this.#waiting >= batchesWaiting) {
      this.#lost ??= 'it took too long to ask what you may see';
      return;
    }
    this.#waiting++;
    this.#last = this.#last.then(() => this.#attempt(this.#write(frames)));
    void this.#last.then(() => this.#waiting--);
  }

  event(event: StreamEvent): void {
    this.#send(frameOf(event));
  }

  /** Rows of other processes, and who owns which shard where that has changed. */
  async #renewOthers(): Promise<void> {
    const { answers, missing } = await this.#options.seen.next(this.#viewer.token);
    this.#tellShards(missing);
    for (const { holder, value } of answers) {
      if ('resync' in value) this.event({ type: 'resync', why: `${holder}: ${value.resync}` });
      else if (value.rows.name.length + value.gone.length > 0) {
        const { rows, gone } = value;
        this.event({ type: 'delta', sequence: this.#sequence, rows, gone });
      }
    }
  }

  #tellShards(missing: Missing): void {
    const shards = this.#options.others.shards();
    const told = JSON.stringify([shards, missing]);
    if (told === this.#shards) return;
    this.#shards = told;
    this.event({ type: 'shards', shards, ...(missing.length === 0 ? {} : { missing }) });
  }

  /** Asks again who this is and what they may see. While the API server does not say, all stays as
   *  it is, and the next beat asks once more. */
  async #review(): Promise<void> {
    const { access, clock } = this.#options;
    const known = [...this.#viewer.rights.known()];
    const entered = await access.renew(this.#viewer.token);
    const refused = entered.ok ? await access.learn(entered.viewer, known) : entered.answer;
    if (refused?.code === 'SERVER_ERROR' || refused?.code === 'THROTTLED') {
      if (clock.steady() - this.#reviewedAt >= unreviewedMs) this.#refuse(refused);
      return;
    }
    if (!entered.ok) return this.#refuse(entered.answer);
    const { viewer } = entered;
    this.#viewer = viewer;
    this.#reviewedAt = clock.steady();
    if (refused !== undefined) return this.event({ type: 'resync', why: refused.message });
    const had = known.filter(({ allowed }) => allowed);
    const has = known.filter((place) => viewer.rights.mayList(place));
    if (had.length > 0 && has.length === 0) {
      return this.#refuse({ code: 'FORBIDDEN', message: 'you may not list any of this any more' });
    }
    const isSame = known.every((place) => place.allowed === viewer.rights.mayList(place));
    if (!isSame) this.event({ type: 'resync', why: 'what you may list has changed' });
  }

  /** What is due: an end where nothing is taken any more, a review, a look at the others. */
  beat(): void {
    const { clock, response, others } = this.#options;
    const now = clock.steady();
    const isDue = !this.#viewer.isLocal && now - this.#reviewedAt >= reviewedMs;
    if (now - (this.#stalledAt ?? now) >= stalledMs) response.destroy();
    else if (isDue && !this.#isReviewing) {
      this.#isReviewing = true;
      void this.#attempt(this.#review()).then(() => {
        this.#isReviewing = false;
      });
    }
    if (others.owners().length > 0) void this.#attempt(this.#renewOthers());
    else this.#tellShards([]);
  }

  end(): void {
    this.#options.response.end();
  }

  /** A bug ends this stream, and nothing else. */
  async #attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { response, onError } = this.#options;
      onError(error);
      response.destroy();
    }
  }

  #refuse(refused: { readonly code: string; readonly message: string }): void {
    this.event({ type: 'refused', ...refused });
    this.end();
  }

  async #write(frames: Frames): Promise<void> {
    const { access, facts } = this.#options;
    // A review meanwhile brings rights that know nothing of these places yet.
    const viewer = this.#viewer;
    const refused = await access.learn(viewer, frames.places);
    // What is not known is not shown.
    if (refused !== undefined) this.#lost ??= refused.message;
    this.#sequence = frames.sequence;
    const text = await frames.text(viewer.rights, facts);
    if (!this.#send(text) || text.length === 0) return;
    frames.writes++;
    frames.bytes += text.length;
  }

  /** False where it is let go. */
  #send(news: string | Uint8Array): boolean {
    const { response, clock } = this.#options;
    if (response.writableEnded || response.destroyed) return false;
    if (this.#stalledAt !== undefined) {
      this.#lost ??= 'you did not take what was sent';
      return false;
    }
    const resync = this.#lost === undefined ? '' : frameOf({ type: 'resync', why: this.#lost });
    this.#lost = undefined;
    const takes = [resync, news].map((part) => part.length === 0 || response.write(part));
    if (takes.includes(false)) this.#stalledAt = clock.steady();
    return true;
  }

  #drained(): void {
    this.#stalledAt = undefined;
    if (this.#lost !== undefined) this.#send('');
  }
}
