// Finds the objects of ours that carry our label no more and that no watch has told of, such as
// pods: no list of what we select shows them, and a second one for the same purpose would be made.
// client.ts asks after each list of the kind: one may have come and lost its label between two.
import type { Clock, Random } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isOlder } from '#machines/kubernetes/versions.ts';
import { unreachable, type Failure } from '../errors.ts';
import { listPageSize } from '../limits.ts';
import type { KubeTransport } from '../transport/transport.ts';
import { abortable } from './abortable.ts';
import { backOff } from './backoff.ts';
import { listAll } from './list.ts';

export interface SweepOptions {
  readonly kind: Kind;
  /** Shows those alone (paths.ts). */
  readonly labelSelector: string;
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly found: (object: KubeObject) => void;
}

export class Sweep {
  readonly #options: SweepOptions;
  /** Of the last list of the kind: what is older may not show what that one did not. */
  #least = '';
  #isDue = false;
  #running: Promise<void> | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** A list of the kind of this version is complete. */
  listed(version: string): void {
    this.#least = version;
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  /** Resolves when all is found that the lists up to now did not show, or at a stop. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#options;
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      await this.#sweep();
    }
    this.#running = undefined;
  }

  /** One list, which is empty nearly always; repeated until it succeeds. Never rejects. */
  async #sweep(): Promise<void> {
    const { kind, labelSelector, signal, clock, random, found, transport } = this.#options;
    for (let failures = 1; !signal.aborted; failures++) {
      const outcome = await listAll({
        transport,
        clock,
        kind,
        pageSize: listPageSize,
        scope: { labelSelector },
        signal,
        begin: (version) => (isOlder(version, this.#least) ? tooOld : undefined),
        object: (object) => {
          if (!signal.aborted) found(object);
        },
      });
      if (outcome.ok) return;
      const pauseMs = outcome.retryAfterMs ?? backOff(failures, random);
      await abortable<void>(signal, (done) => clock.at(clock.now() + pauseMs, done));
    }
  }
}

const tooOld: Failure = unreachable('the list is older than that of those with our label');
