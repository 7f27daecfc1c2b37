// What one kind finds out for all of a server: that nobody was there for a while. A server has to
// be away to be restored from a backup, but a watch may have been half open all the while, and is
// then resumed as if nothing had been. So on the return every kind is listed. Shared by the
// reflectors of one client (docs/decisions/0018-a-restored-server-ends-the-process.md).
import type { Clock } from '#actors/ports.ts';
import { returnPauseMs } from '../limits.ts';

interface Member {
  /** How many times nobody was there before its last list was asked for. */
  readonly askedAfter: number;
  ask(): Promise<void>;
}

export class Outages {
  readonly #clock: Clock;
  readonly #members = new Set<Member>();
  noticed = 0;
  /** How many of them all kinds have been, or are about to be, listed for. */
  #answered = 0;
  #lastNotifiedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  join(member: Member): void {
    this.#members.add(member);
  }

  /** Nobody was there. */
  notice(): void {
    this.noticed++;
  }

  /** The server may have been away without a sign that this client could see: all kinds are
   *  listed, as on its return. */
  suspect(): void {
    this.notice();
    this.#answer();
  }

  /** A list is complete: the server was there after as many outages as had been noticed when it was
   *  asked for. */
  listed({ askedAfter }: Member): void {
    if (askedAfter < this.noticed || this.#answered === this.noticed) return;
    this.#answer();
  }

  stop(): void {
    this.#cancel?.();
  }

  #answer(): void {
    this.#answered = this.noticed;
    if (this.#cancel !== undefined) return;
    const now = this.#clock.steady();
    const waitMs = Math.max(0, this.#lastNotifiedAt + returnPauseMs - now);
    if (waitMs === 0) this.#tell();
    else this.#cancel = this.#clock.at(this.#clock.now() + waitMs, () => this.#tell());
  }

  #tell(): void {
    this.#cancel = undefined;
    this.#lastNotifiedAt = this.#clock.steady();
    for (const member of this.#members) {
      if (member.askedAfter < this.#answered) void member.ask();
    }
  }
}
