// A reflector on a scripted transport and a virtual clock, with what it told so far in short form:
// `+name@version` for seen, `-name/uid` for gone.
import type { Observation } from '#actors/ports.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import type { Kind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { Reflector } from '#src/kube/watch/reflector.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { list } from './objects.ts';
import { ScriptedTransport } from './scripted-transport.ts';

export interface LogLine extends JsonObject {
  level: string;
  message: string;
}

export class Reflecting {
  readonly clock = new VirtualClock();
  readonly transport = new ScriptedTransport();
  readonly logged: LogLine[] = [];
  /** All that was told. */
  readonly observations: Observation[] = [];
  readonly reflector: Reflector;
  /** Kinds that were missing and are there. */
  readonly served: Kind[] = [];
  /** Versions that were known when the watch came to them. */
  readonly echoes: string[] = [];
  /** Why nothing can be believed any more. */
  readonly lost: CoppiceError[] = [];
  /** The next observation finds a listener that throws. */
  failNext = false;
  #told: string[] = [];

  constructor(kind: Kind = 'PodClique') {
    const log = (level: string, message: string, fields: JsonObject): void => {
      this.logged.push({ ...fields, level, message });
    };
    const listen = (observation: Observation): void => {
      this.observations.push(observation);
      if (!this.failNext) return void this.#told.push(short(observation));
      this.failNext = false;
      throw new Error('the listener failed');
    };
    const { transport, clock } = this;
    this.reflector = new Reflector(kind, listen, {
      transport,
      clock,
      random: seeded(1),
      log,
      lost: (error) => this.lost.push(error),
      served: (one) => this.served.push(one),
      echoed: (_kind, version) => this.echoes.push(version),
    });
  }

  /** Started, listed at this version with these objects, and watching. */
  static async at(
    version: number,
    objects: readonly unknown[] = [],
    kind: Kind = 'PodClique',
  ): Promise<Reflecting> {
    const reflecting = new Reflecting(kind);
    reflecting.reflector.resume();
    await reflecting.answerList(version, objects);
    reflecting.told();
    return reflecting;
  }

  async answerList(version: number, objects: readonly unknown[]): Promise<void> {
    await this.clock.drain();
    this.transport.lastRequest.answer(200, list(version, objects));
    await this.clock.drain();
  }

  /** What was told since the last call. */
  told(): string[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }
}

export const short = (observation: Observation): string =>
  observation.type === 'seen'
    ? `+${observation.object.metadata.name}@${observation.object.metadata.resourceVersion}`
    : `-${observation.ref.name}/${observation.uid}`;
