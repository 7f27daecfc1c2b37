// What of a PodGang comes from its set: the set tells it and the podgang actor writes it, whatever
// is lost, refused or started anew on the way. Nobody else writes the spec.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const set = { kind: 'PodCliqueSet', namespace: 'demo', name: 'demo' } as const;
const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;

function deployed(): World {
  const world = new World();
  world.create(cliqueSet(1));
  world.converge();
  return world;
}

/** The priority class is not part of any PodClique. */
function reclass(world: World, options: WorldOptions): void {
  world.options = options;
  world.edit(set, { spec: { template: { priorityClassName: 'high' } } });
  world.settle();
}

const classOf = (world: World): unknown =>
  at(world.get(gang.kind, gang.name), 'spec', 'priorityClassName');

const patchesOf = (world: World, since: number): number =>
  world.writes.slice(since).filter(({ op, ref }) => op === 'patch' && ref.kind === 'PodGang')
    .length;

const errorsOf = (world: World): readonly unknown[] =>
  list(at(world.get(set.kind, set.name), 'status', 'lastErrors'));

describe('The template of a PodGang', () => {
  it('is written once, and told no more once it is there', () => {
    const world = deployed();
    const writes = world.writes.length;
    reclass(world, {});
    world.converge();
    expect(classOf(world)).toBe('high');
    expect(patchesOf(world, writes)).toBe(1);
    const told = world.told.length;
    world.pass(600_000);
    expect(world.told.slice(told).filter((line) => line.startsWith('gang.wanted'))).toEqual([]);
    expect(world.why({ ...set, kind: 'podcliqueset' }).join()).toContain('nothing is waited for');
  });

  it('is told again where the message was lost, and not before it is due', () => {
    const world = deployed();
    reclass(world, { lose: (_, type) => type === 'gang.wanted' });
    expect(classOf(world)).toBeUndefined();
    world.options = {};
    world.pass(1_000);
    expect(classOf(world)).toBeUndefined();
    world.pass(5_000);
    expect(classOf(world)).toBe('high');
  });

  it('is put right where another hand changed it, and what others add stays', () => {
    const world = deployed();
    const podgroups = list(at(world.get(gang.kind, gang.name), 'spec', 'podgroups'));
    const wrong = podgroups.map((group) => ({ ...Object(group), minReplicas: 9, extra: 1 }));
    world.edit(gang, { spec: { podgroups: wrong, priorityClassName: 'low' } });
    world.converge();
    const [group] = list(at(world.get(gang.kind, gang.name), 'spec', 'podgroups'));
    expect(group).toEqual({ ...Object(podgroups[0]), extra: 1 });
    expect(classOf(world)).toBeUndefined();
  });

  it('that is refused is told in the status of the set until it is written', () => {
    const world = deployed();
    const refuse: WorldOptions['refuse'] = (op, { kind }) =>
      op === 'patch' && kind === 'PodGang' ? 'FORBIDDEN' : undefined;
    reclass(world, { refuse });
    world.pass(120_000);
    expect(errorsOf(world)).toEqual([
      expect.objectContaining({ code: 'ERR_CREATE_OR_PATCH_PODGANG' }),
    ]);
    // Whoever starts anew hears of it again.
    world.restart();
    world.pass(120_000);
    expect(errorsOf(world)).toHaveLength(1);
    world.options = {};
    world.pass(120_000);
    world.converge();
    expect(classOf(world)).toBe('high');
    expect(errorsOf(world)).toEqual([]);
  });
});
