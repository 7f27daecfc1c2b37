// A scenario as it runs, second by second: users act and time passes. In each second the news, the
// answers to writes, and what nodes and the collector do come in an order that the seed draws, and
// all have come when it ends. Which world that is says who extends it: run.ts, sandbox-run.ts.
import type { Random } from '#actors/ports.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import type { Moment } from '../../grove/golden/record.ts';
import type { Lines } from './record.ts';

/** After a write that was not answered there may be silence for so long. */
const quietS = 5;
const mostS = 120;

export abstract class Shaken<L extends Lines> {
  protected readonly record: L;
  protected isRecorded = false;
  readonly #random: Random;
  #second = 0;
  #restartsAt: number | undefined;
  /** What comes of the next writes that it is asked about. */
  readonly #fates: { readonly of: (intent: WriteIntent) => boolean; fate: Fate }[] = [];

  protected constructor(record: L, seed: number) {
    this.record = record;
    this.#random = seeded(seed);
  }

  /** Of the server: it grows with every change. */
  protected abstract get version(): number;
  /** Nothing is under way. */
  protected abstract get isQuiet(): boolean;
  protected abstract get inFlight(): readonly WriteIntent[];
  protected abstract deliver(pick: number, isWhole: boolean): void;
  protected abstract land(pick: number, fate: Fate): void;
  protected abstract list(): void;
  /** What nodes and the collector have to do now. */
  protected abstract steps(): (() => void)[];
  /** Another process begins. Of what the former had under way some still lands. */
  protected abstract kill(isLate: (place: number) => boolean): void;
  protected abstract tick(): void;

  get moments(): readonly Moment[] {
    return this.record.moments;
  }

  /** What came before the scenario is at rest. */
  protected begin(): void {
    this.rest();
    this.#second = 0;
    this.isRecorded = true;
  }

  /** So many creates are done, and nobody is told. */
  loseReplies(many: number): void {
    this.record.acted(
      many === 1
        ? 'the next reply to a create is lost'
        : `the next ${many} replies to creates are lost`,
    );
    for (let count = 0; count < many; count++) {
      this.#fates.push({ of: ({ type }) => type === 'createObject', fate: 'lost reply' });
    }
  }

  /** In the middle of what happens next. */
  restart(): void {
    this.record.acted('the controller is killed and starts again');
    this.#restartsAt = this.#draw(24);
  }

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) this.#live();
  }

  /** Until nothing changes any more. */
  rest(): void {
    let quiet = 0;
    for (let second = 0; second < mostS && quiet < quietS; second++) {
      const before = this.version;
      this.#live();
      quiet = this.version === before ? quiet + 1 : 0;
    }
    if (quiet < quietS) throw new Error(`no rest after ${mostS} s`);
  }

  get second(): number {
    return this.#second;
  }

  #live(): void {
    this.#mix(this.#shuffled(this.steps()));
    if (this.isRecorded) this.record.close(this.#second);
    this.#second++;
    this.tick();
  }

  /** In any order, until all has arrived. */
  #mix(steps: (() => void)[]): void {
    let restartsAt = this.#restartsAt ?? -1;
    this.#restartsAt = undefined;
    while (steps.length > 0 || restartsAt >= 0 || !this.isQuiet) {
      if (restartsAt-- === 0) this.#kill();
      const dice = this.#draw(4);
      if (dice === 0) steps.pop()?.();
      else if (dice === 1) this.deliver(this.#draw(1_000), this.#draw(2) === 0);
      else if (dice === 2) this.#land();
      else this.list();
    }
  }

  #land(): void {
    const { inFlight } = this;
    if (inFlight.length === 0) return;
    const pick = this.#draw(inFlight.length);
    const place = this.#fates.findIndex(({ of }) => inFlight.slice(pick, pick + 1).some(of));
    const [next] = place < 0 ? [] : this.#fates.splice(place, 1);
    this.land(pick, next?.fate ?? 'answered');
  }

  #kill(): void {
    const bits = this.#draw(65_536);
    this.kill((place) => ((bits >> (place % 16)) & 1) === 1);
  }

  #draw(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  readonly #shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [this.#random.next(), item] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, item]) => item);
}
