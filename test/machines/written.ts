// A deployed set in the little world, and what was written since. For the tests of deletion.
import type { Operation } from '#machines/contract/kind.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

/** At rest; what was written till then is forgotten. */
export function deployed(...args: Parameters<typeof cliqueSet>): World {
  const world = new World();
  world.create(cliqueSet(...args));
  world.converge();
  world.writes.length = 0;
  return world;
}

/** How many writes, by operation and kind. */
export const counts = (world: World): Record<string, number> => {
  const many: Record<string, number> = {};
  for (const { op, ref } of world.writes) {
    const name = `${op} ${ref.kind}`;
    many[name] = (many[name] ?? 0) + 1;
  }
  return many;
};

/** The objects of one operation, in order. */
export const of = (world: World, op: Operation): readonly string[] =>
  world.writes.filter((write) => write.op === op).map(({ ref }) => `${ref.kind} ${ref.name}`);
