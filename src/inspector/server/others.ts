// The other processes that share the shards: who they are, and the same request to each of them in
// the name of whoever asks, whom each reviews itself. One that does not answer is named.
import type { ShardOwner } from '#actors/ports.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Missing, ShardRow } from '#src/inspector/protocol.ts';
import { otherBytes, otherMs } from './limits.ts';
import type { Process } from './source.ts';

export interface Asked<T> {
  /** Each with the name of who said it. */
  readonly answers: readonly { readonly holder: string; readonly value: T }[];
  readonly missing: Missing;
}

export class Others {
  readonly #process: Process;

  constructor(process: Process) {
    this.#process = process;
  }

  shards(): readonly ShardRow[] {
    const { lease } = this.#process;
    return Array.from({ length: lease.shards }, (_, shard) => {
      const isHere = this.#isHere(shard);
      return { shard, holder: lease.holder?.(shard) ?? (isHere ? 'this process' : ''), isHere };
    });
  }

  /** Those that own shards, as far as is known. */
  owners(): readonly (Pick<ShardOwner, 'holder'> & { readonly address: string | undefined })[] {
    const { lease } = this.#process;
    const owners = new Map<string, string | undefined>();
    for (let shard = 0; shard < lease.shards; shard++) {
      const holder = lease.holder?.(shard) ?? '';
      if (holder === '' || this.#isHere(shard)) continue;
      owners.set(holder, lease.address?.(shard));
    }
    return [...owners].map(([holder, address]) => ({ holder, address }));
  }

  /** `pathOf` may differ by who is asked. Never rejects. */
  async ask<T>(token: string, pathOf: (holder: string) => string): Promise<Asked<T>> {
    const owners = this.owners();
    const asked = owners.map(async ({ holder, address }) => {
      const value = address && (await this.#ask(address, pathOf(holder), token));
      return { holder, value };
    });
    const all = await Promise.all(asked);
    return {
      // It is a process of ours that answered, which says what protocol.ts says.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      answers: all.flatMap(({ holder, value }) => (value ? [{ holder, value: value as T }] : [])),
      missing: all.flatMap(({ holder, value }) => (value ? [] : [holder])),
    };
  }

  async #ask(address: string, path: string, token: string): Promise<JsonObject | undefined> {
    const peer = this.#process.peer();
    if (peer === undefined) return undefined;
    const signal = AbortSignal.timeout(otherMs);
    const limits = { timeoutMs: otherMs, signal, maxBytes: otherBytes };
    try {
      const response = await peer({ address, method: 'GET', path, token, ...limits });
      if (response.status !== 200) return undefined;
      const value: unknown = JSON.parse(Buffer.from(response.body).toString());
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  #isHere(shard: number): boolean {
    const { lease } = this.#process;
    return lease.runs?.(shard) ?? lease.holds(shard);
  }
}

/** For answers, which say nothing where nobody is missing. */
export const saying = (missing: Missing) => (missing.length === 0 ? {} : { missing });
