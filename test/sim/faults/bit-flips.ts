// Damage on the bus: of some messages between actors one bit is flipped on the way, and what
// arrives is handed to everybody who listens. Whoever hears a message must hear one that was sent.
// One per world; gated-bus.ts asks.
import type { Envelope, Random } from '#actors/ports.ts';
import { encodeEnvelope } from '#bus/codec.ts';
import { formatSubject } from '#bus/subjects.ts';
import type { MemoryNetwork } from '#test/support/bus/network.ts';

export interface BitFlipsOptions {
  readonly network: MemoryNetwork;
  readonly random: Random;
  /** Chance per message. */
  readonly rate: () => number;
  readonly injected: (fault: string) => void;
  readonly violate: (what: string) => void;
}

export class BitFlips {
  readonly #options: BitFlipsOptions;
  readonly #sent = new Set<string>();

  constructor(options: BitFlipsOptions) {
    this.#options = options;
  }

  /** True where the message was damaged: nobody else needs to send it. */
  damages(envelope: Envelope, isCopy: boolean): boolean {
    const { network, random, injected } = this.#options;
    if (!isCopy) this.#sent.add(JSON.stringify(envelope));
    const rate = this.#options.rate();
    if (rate === 0 || random.next() >= rate) return false;
    const bytes = encodeEnvelope(envelope, isCopy);
    const { shard, to } = envelope;
    const subject = formatSubject({ type: 'tell', shard, to });
    if (!bytes.ok || !subject.ok) return false;
    const bit = Math.floor(random.next() * 8 * bytes.value.length);
    const damaged = Uint8Array.from(bytes.value);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    network.inject(subject.value, damaged);
    injected('busFlip');
    return true;
  }

  /** A message is handed to a process. */
  heard(envelope: Envelope): void {
    const text = JSON.stringify(envelope);
    if (this.#sent.has(text)) return;
    this.#options.violate(`a message is heard that nobody sent: ${text}`);
  }
}
