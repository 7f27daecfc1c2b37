// A shard comes or goes, with the actors of all its trees. Called by system.ts at every change of
// the leases.
import { actorId } from '#machines/contract/address.ts';
import type { Effects } from '../effects/runner.ts';
import type { Cache } from '../mail/cache.ts';
import { noCause } from '../mail/causality.ts';
import type { Versions } from '../ports.ts';
import type { Trees } from '../run/tree.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { Ownership } from './ownership.ts';

interface Parts {
  readonly cache: Pick<Cache, 'addressees'>;
  readonly trees: Pick<Trees, 'all' | 'find'>;
  readonly supervisor: Pick<Supervisor, 'end' | 'spawn'>;
  readonly effects: Pick<Effects, 'quiet'>;
  readonly ownership: Ownership;
}

/** The shard goes elsewhere: its actors end here, and then the last of its writes is waited for.
 *  Their objects stay in the cache. */
export function handOver(parts: Parts, shard: number): Promise<Versions> {
  const { trees, supervisor, effects, ownership } = parts;
  ownership.lost(shard);
  for (const actor of trees.all()) if (actor.shard === shard) supervisor.end(actor, noCause);
  return effects.quiet(shard);
}

/** The shard came here: its actors start from what the cache holds for them. */
export function takeOver(parts: Parts, shard: number, written: Versions): void {
  const { cache, trees, supervisor, ownership } = parts;
  ownership.gained(shard, written, () => {
    for (const { to, root } of cache.addressees()) {
      if (ownership.shardOf(root) !== shard || trees.find(actorId(to)) !== undefined) continue;
      supervisor.spawn(to, root, noCause, true);
    }
  });
}
