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

  /** Asks again who this is and what they may see. */
  async #review(): Promise<void> {
    const { access, clock } = this.#options;
    const entered = await access.renew(this.#viewer.token);
    if (!entered.ok) {
      const { code, message } = entered.answer;
      const isAway = code === 'SERVER_ERROR' || code === 'THROTTLED';
      if (isAway && clock.steady() - this.#reviewedAt < unreviewedMs) return;
      return this.#refuse({ code, message });
    }
    const before = [...this.#viewer.rights.known()];
    this.#viewer = entered.viewer;
    this.#reviewedAt = clock.steady();
    await access.learn(entered.viewer, before);
    const had = before.filter(({ allowed }) => allowed);
    const has = had.filter((place) => entered.viewer.rights.mayList(place));
    if (had.length > 0 && has.length === 0) {
      return this.#refuse({ code: 'FORBIDDEN', message: 'you may not list any of this any more' });
    }
    if (has.length < had.length) {
      this.event({ type: 'resync', why: 'you may list less than before' });
    }
  }

  /** What is due: an end where nothing is taken any more, a review, a look at the others. */
  beat(): void {
    const { clock, response, others } = this.#options;
    const now = clock.steady();
    if (now - (this.#stalledAt ?? now) >= stalledMs) response.destroy();
    else if (!this.#viewer.isLocal && now - this.#reviewedAt >= reviewedMs)
      void this.#attempt(this.#review());
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
    const refused = await access.learn(this.#viewer, frames.places);
    // What is not known is not shown.
    if (refused !== undefined) this.#lost ??= refused.message;
    this.#sequence = frames.sequence;
    const text = await frames.text(this.#viewer.rights, facts);
    if (this.#send(text)) frames.bytes += text.length;
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
