// How many actors of each controller are alive and parked, kept as they come and go, for the
// metrics.
import { entryOf } from '../maps.ts';
import type { Telemetry } from '../ports.ts';
import type { Actor, Mode } from './actor.ts';

interface Count {
  alive: number;
  parked: number;
}

export class ActorCounts {
  readonly #telemetry: Telemetry;
  readonly #counts = new Map<string, Count>();

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  born(actor: Actor): void {
    this.#change(actor, 1, actor.mode);
  }

  left(actor: Actor): void {
    this.#change(actor, -1, actor.mode);
  }

  move(actor: Actor, mode: Mode): void {
    this.#change(actor, -1, actor.mode);
    actor.mode = mode;
    this.#change(actor, 1, mode);
  }

  get parked(): number {
    let sum = 0;
    for (const { parked } of this.#counts.values()) sum += parked;
    return sum;
  }

  #change(actor: Actor, by: number, mode: Mode): void {
    const { controller } = actor.behaviour;
    const count = entryOf(this.#counts, controller, () => ({ alive: 0, parked: 0 }));
    if (mode === 'parked') count.parked += by;
    else count.alive += by;
    const { alive, parked } = count;
    this.#telemetry.actors({ controller, alive, parked });
  }
}
