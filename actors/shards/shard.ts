// Which shard a tree belongs to, and the lease of a process that owns all shards because it is
// alone. The hash is part of the contract between processes: it never changes.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { ShardLease } from '../ports.ts';

/** FNV-1a, 32 bit, over UTF-16 code units. Stable across processes and versions. */
export function hash32(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** The shard of the tree under `root`: 0 to `shards` - 1. */
export const shardOf = (root: ActorKey, shards: number): number => hash32(actorId(root)) % shards;

/** The lease of the only process: every shard is held, for ever, in epoch 1. */
export const soleOwner = (shards = 16): ShardLease => ({
  shards,
  holds: () => true,
  epoch: () => 1,
  onChange: () => () => undefined,
});
