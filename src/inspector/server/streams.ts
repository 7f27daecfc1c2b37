// All viewers that are connected: opens a stream, tells each what changes, asks for signs of life
// and for their rights again, and ends them. One timer serves all. Made by start.ts.
import { refusal } from '#bus/answers.ts';
import { OthersSeen } from './changes.ts';
import type { Call, Inspected } from './call.ts';
import type { Feed } from './feed.ts';
import { type FactsWanted, Frames } from './frames.ts';
import { othersMs, pingMs, streamsAtOnce, streamsPerUser } from './limits.ts';
import { anyPlace, malformed, numberIn, wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';
import { Stream } from './stream.ts';

/** Divides the other spans of time. */
const beatMs = othersMs;

export class Streams {
  readonly #inspected: Inspected;
  readonly #feed: Feed;
  readonly #streams = new Set<Stream>();
  /** While there are any. */
  #ends: readonly (() => void)[] | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(inspected: Inspected, feed: Feed) {
    this.#inspected = inspected;
    this.#feed = feed;
  }

  open(call: Call): Promise<Reply> {
    const { query, viewer } = call;
    const wrong = wrongParameters(query, ['after', 'process', 'facts']);
    if (wrong !== undefined) return Promise.resolve(wrong);
    const after = numberIn(query, 'after', anyPlace, undefined);
    if (typeof after === 'object') return Promise.resolve(after);
    const facts = readFacts(query.get('facts'));
    if (facts === undefined) {
      return Promise.resolve(malformed('facts must be "all" or the id of an actor'));
    }
    const own = [...this.#streams].filter(({ user }) => user === viewer.user).length;
    if (this.#streams.size >= streamsAtOnce || own >= streamsPerUser) {
      const who = own >= streamsPerUser ? `${own} of yours` : `${this.#streams.size}`;
      return Promise.resolve(refusal('THROTTLED', `there are ${who} streams already`));
    }
    this.#follow(call, facts, after);
    return Promise.resolve({ ok: true, taken: true });
  }

  stop(): void {
    this.#end();
    for (const stream of this.#streams) stream.end();
  }

  #follow({ query, response, viewer }: Call, facts: FactsWanted, after: number | undefined): void {
    // The viewer may have left while it was asked who that is: nobody would say so once more.
    if (response.destroyed) return;
    const { source, process, access, others } = this.#inspected;
    const { clock } = process;
    const sequence = after ?? source.history.newest;
    const seen = new OthersSeen(others, clock);
    const onError = (error: unknown): void =>
      process.log('error', 'a stream of the inspector broke', { error: String(error) });
    const sending = { viewer, response, facts, sequence };
    const stream = new Stream({ ...sending, access, others, seen, clock, onError });
    this.#streams.add(stream);
    this.#ends ??= this.#begin();
    response.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#end();
    });
    const isOther = query.has('process') && query.get('process') !== process.id;
    const missed = isOther ? 'this process is another one than before' : this.#feed.since(sequence);
    if (typeof missed === 'string') stream.event({ type: 'resync', why: missed });
    else if (after !== undefined) stream.batch(new Frames(source, missed));
    stream.beat();
  }

  #begin(): readonly (() => void)[] {
    const { source, process } = this.#inspected;
    const { clock } = process;
    let beats = 0;
    const beat = (): void => {
      beats++;
      this.#cancelBeat = clock.at(clock.now() + beatMs, beat);
      const isPing = beats % Math.round(pingMs / beatMs) === 0;
      for (const stream of this.#streams) {
        if (isPing) stream.event({ type: 'ping', now: clock.now() });
        stream.beat();
      }
    };
    this.#cancelBeat = clock.at(clock.now() + beatMs, beat);
    const release = this.#feed.follow((batch) => {
      const frames = new Frames(source, batch);
      for (const stream of this.#streams) stream.batch(frames);
      return frames;
    });
    return [release, () => this.#cancelBeat?.()];
  }

  #end(): void {
    for (const end of this.#ends ?? []) end();
    this.#ends = undefined;
  }
}

function readFacts(given: string | null): FactsWanted | undefined {
  if (given === null) return 'none';
  if (given === 'all') return given;
  return /^[a-z]+\/[^/]*\/[^/]+$/.test(given) ? { of: given } : undefined;
}
