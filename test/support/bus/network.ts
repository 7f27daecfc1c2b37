// The wire between memory buses: who gets what, when, and with which faults. A composition root
// makes one and joins it; simulations join it once per simulated process.
import type { Clock, Random } from '#actors/ports.ts';
import type { Log } from '#bus/handlers.ts';
import type { FaultPolicy } from './faults.ts';
import { arrivals, faultless } from './faults.ts';
import { MemoryBus } from './memory.ts';

/** Sees every message that was published, as a subscriber of `coppice.>` would. */
export type Observer = (subject: string, bytes: Uint8Array) => void;

export interface NetworkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
}

export class MemoryNetwork {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #members = new Set<MemoryBus>();
  readonly #observers = new Set<Observer>();
  #policy = faultless;
  /** Members that cannot reach each other have different numbers; absent: 0. */
  readonly #island = new Map<MemoryBus, number>();

  constructor(ports: NetworkPorts) {
    this.#clock = ports.clock;
    this.#random = ports.random;
    this.#log = ports.log ?? (() => undefined);
  }

  /** A new member. The name is for people. */
  join(name: string): MemoryBus {
    const member = new MemoryBus(this, name, this.#clock, this.#log);
    this.#members.add(member);
    return member;
  }

  leave(member: MemoryBus): void {
    this.#members.delete(member);
    this.#island.delete(member);
  }

  /** From now on; messages under way keep what was decided for them. */
  setPolicy(policy: Partial<FaultPolicy>): void {
    this.#policy = { ...faultless, ...policy };
  }

  /** Silent partition: members of different groups no longer reach each other, and do not notice.
   *  Who is in no group stays together with the others in none. `partition([])` heals. */
  partition(groups: readonly (readonly MemoryBus[])[]): void {
    this.#island.clear();
    groups.forEach((group, index) => {
      for (const member of group) this.#island.set(member, index + 1);
    });
  }

  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  get isObserved(): boolean {
    return this.#observers.size > 0;
  }

  /** Tells the observers of a message; they are outside of every fault. */
  show(subject: string, bytes: Uint8Array): void {
    if (!this.isObserved) return;
    this.#clock.soon(() => {
      for (const observer of this.#observers) observer(subject, bytes);
    });
  }

  /** To every member, the sender too. */
  publish(from: MemoryBus, arrive: (member: MemoryBus) => void): void {
    for (const member of this.#members) this.send(from, member, () => arrive(member));
  }

  /** Publishes bytes as a foreign process would: whoever is on the bus may send anything. */
  inject(subject: string, bytes: Uint8Array): void {
    this.show(subject, bytes);
    for (const member of this.#members) {
      this.#clock.soon(() => {
        if (member.isConnected) void member.receive(subject, bytes);
      });
    }
  }

  /** One of those who answer questions, as a queue group picks one; whether the way there is cut
   *  shows only when no answer comes. */
  server(from: MemoryBus): MemoryBus | undefined {
    const serving = [...this.#members].filter((member) => member.isServing);
    const near = serving.filter((member) => this.#reaches(from, member));
    const choice = near.length > 0 ? near : serving;
    return choice[Math.floor(this.#random.next() * choice.length)];
  }

  /** The member that serves the shard's owner subject. */
  owner(shard: number): MemoryBus | undefined {
    return [...this.#members].find((member) => member.owns(shard));
  }

  /** Runs `arrive` at the receiver as often and as late as the policy says. */
  send(from: MemoryBus, to: MemoryBus, arrive: () => void): void {
    if (!from.isConnected) return;
    for (const delayMs of arrivals(this.#policy, this.#random)) {
      const deliver = (): void => {
        if (to.isConnected && this.#reaches(from, to)) arrive();
      };
      if (delayMs === 0) this.#clock.soon(deliver);
      else this.#clock.at(this.#clock.now() + delayMs, deliver);
    }
  }

  #reaches(from: MemoryBus, to: MemoryBus): boolean {
    return from === to || (this.#island.get(from) ?? 0) === (this.#island.get(to) ?? 0);
  }
}
