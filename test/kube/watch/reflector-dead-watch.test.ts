// The way of watches is dead while lists work, in every form that it may have: what happens is seen
// within a minute all the same, and by few lists.
import { describe, expect, test } from 'vitest';
import { clique, list, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';
import type { OpenWatch } from '../support/scripted-transport.ts';

const minute = 60_000;
const stepMs = 100;

interface Death {
  /** How long each watch lasts, and its end. */
  readonly lastsMs: (watch: OpenWatch) => number;
  readonly end: (watch: OpenWatch) => void;
}

const refused = (code: number, headers = {}): Death => ({
  lastsMs: () => 5,
  end: (watch) => watch.refuse(code, status(code, 'Refused'), headers),
});
const broken = (lastsMs: number): Death => ({
  lastsMs: () => lastsMs,
  end: (watch) => watch.end({ kind: 'ended', error: new Error('reset') }),
});
const orderly = (lastsMs: Death['lastsMs']): Death => ({ lastsMs, end: (watch) => watch.end() });

const deaths: readonly (readonly [string, Death])[] = [
  ['says nothing and never ends', { lastsMs: () => 60 * minute, end: () => {} }],
  ['is refused with 500', refused(500)],
  ['is refused with 503', refused(503)],
  ['is refused with 403', refused(403)],
  ['is refused with 401', refused(401)],
  ['is refused with 429', refused(429, { 'retry-after': '2' })],
  ['finds nobody who listens', broken(0)],
  ['is reset after three seconds', broken(3_000)],
  ['is reset after twenty seconds', broken(20_000)],
  ['ends in good order at once', orderly(() => 0)],
];

/** A server of lists alone, on which an object comes now and then. */
class ListServer {
  readonly reflecting = new Reflecting();
  lists = 0;
  /** The longest that an object was there unseen. */
  longestMs = 0;
  readonly #death: Death;
  readonly #objects: ReturnType<typeof clique>[] = [];
  readonly #createdAt = new Map<string, number>();
  #answered = 0;
  #opened = 0;

  constructor(death: Death) {
    this.#death = death;
    this.create();
    this.reflecting.reflector.resume();
  }

  create(): void {
    const name = `o${this.#objects.length}`;
    this.#objects.push(clique({ name, version: this.#objects.length + 1 }));
    this.#createdAt.set(`+${name}`, this.reflecting.clock.now());
  }

  async step(): Promise<void> {
    const { transport, clock } = this.reflecting;
    for (const request of transport.requests.slice(this.#answered)) {
      if (!/[?&]limit=1(&|$)/.test(request.path)) this.lists++;
      request.answer(200, list(this.#objects.length, this.#objects));
    }
    this.#answered = transport.requests.length;
    for (const watch of transport.watches.slice(this.#opened)) {
      clock.at(clock.now() + this.#death.lastsMs(watch), () => this.#death.end(watch));
    }
    this.#opened = transport.watches.length;
    await clock.advance(stepMs);
    for (const seen of this.reflecting.told()) this.#see(seen.split('@')[0] ?? '');
    for (const createdAt of this.#createdAt.values()) {
      this.longestMs = Math.max(this.longestMs, clock.now() - createdAt);
    }
  }

  #see(name: string): void {
    this.#createdAt.delete(name);
  }
}

async function live(death: Death, minutes: number): Promise<ListServer> {
  const server = new ListServer(death);
  for (let second = 0; second < minutes * 60; second++) {
    if (second % 71 === 70) server.create();
    for (let ms = 0; ms < 1_000; ms += stepMs) await server.step();
  }
  return server;
}

describe('A watch that each time', () => {
  test.each(deaths)('%s hides nothing for longer than a minute', async (_how, death) => {
    const { longestMs, lists } = await live(death, 10);
    expect(longestMs).toBeLessThanOrEqual(minute);
    // The first, one for the first failure, and from then on one in forty seconds at most.
    expect(lists).toBeLessThanOrEqual(2 + (10 * 60) / 40);
  });

  test('ends in good order when it should hides nothing for longer than eleven minutes', async () => {
    const asked = orderly(({ query }) => Number(query.get('timeoutSeconds')) * 1_000);
    const { longestMs, lists } = await live(asked, 30);
    expect(longestMs).toBeLessThanOrEqual(11 * minute);
    expect(lists).toBeLessThanOrEqual(4);
  });
});
