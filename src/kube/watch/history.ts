// Whether the server still has the history that a reflector was shown. Versions never go back, but
// where the server was restored from a backup: then nothing that is known of it is worth anything
// (docs/decisions/0018-a-restored-server-ends-the-process.md). One per reflector.
import type { Clock } from '#actors/ports.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Failure } from '../errors.ts';
import { staleListLimitMs } from '../limits.ts';

export class History {
  readonly #kind: Kind;
  readonly #clock: Clock;
  /** When the server first offered a list from the past; undefined while it does not. */
  #staleSince: number | undefined;
  /** HISTORY_LOST, for good; undefined while there is no reason to think so. */
  lost: CoppiceError | undefined;

  constructor(kind: Kind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** A list is older than what is known. It may come from a server that is behind: the failure that
   *  it is. Lost where that goes on. */
  stale(version: string, known: string): Failure {
    const now = this.#clock.steady();
    this.#staleSince ??= now;
    const message = `a list has version ${version}, which is older than the known ${known}`;
    if (now - this.#staleSince >= staleListLimitMs) this.#lose(message);
    return { ok: false, code: 'SERVER_ERROR', message };
  }

  /** A list that is young enough shows an object as it was before it was last seen, or one whose
   *  end was seen. */
  contradicted({ metadata }: KubeObject): void {
    const { namespace = '', name, resourceVersion = '' } = metadata;
    this.#lose(`${namespace}/${name} is shown at version ${resourceVersion}, older than before`);
  }

  /** A list is as young as what is known, whether all of it comes or not. */
  current(): void {
    this.#staleSince = undefined;
  }

  #lose(why: string): void {
    this.lost ??= new CoppiceError('HISTORY_LOST', `${this.#kind}: ${why}`);
  }
}
