// Versions that replies to our writes have told of and the watch has not come to yet. Used by
// object-index.ts, one per kind.

export interface Identity {
  readonly key: string;
  readonly uid: string;
}

export class PendingEchoes {
  readonly #byVersion = new Map<string, Identity>();

  add(version: string, whose: Identity): void {
    this.#byVersion.set(version, whose);
  }

  /** The watch has come to this version: whose reply told of it, if one did. */
  take(version: string): Identity | undefined {
    const whose = this.#byVersion.get(version);
    this.#byVersion.delete(version);
    return whose;
  }

  /** No watch will come to these any more. */
  forget(isPast: (version: string) => boolean): void {
    for (const version of this.#byVersion.keys()) {
      if (isPast(version)) this.#byVersion.delete(version);
    }
  }
}
