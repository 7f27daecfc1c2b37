// What of a PodGang comes from its set: the set tells it and the podgang actor writes it, whatever
// is lost, refused or started anew on the way. Nobody else writes the spec.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/json.ts';
import { podGang } from '#machines/podgang/behaviour.ts';
import { readGang } from '#machines/podgang/facts.ts';
import { readFailure, readWanted } from '#machines/podgang/template.ts';
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
function reclass(world: World, options: WorldOptions, priorityClassName = 'high'): void {
  world.options = options;
  world.edit(set, { spec: { template: { priorityClassName } } });
  world.settle();
}

const refuse: WorldOptions['refuse'] = (op, { kind }) =>
  op === 'patch' && kind === 'PodGang' ? 'FORBIDDEN' : undefined;

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

  it('is told again after the first pause each time that a message is lost', () => {
    const world = deployed();
    const lose: WorldOptions['lose'] = (_, type) => type === 'gang.wanted';
    const tellings = () => world.told.filter((line) => line.startsWith('gang.wanted')).length;
    for (const name of ['high', 'low']) {
      reclass(world, { lose }, name);
      // After 5 s, 10 s and 20 s, and nothing between.
      const before = tellings();
      for (let second = 0; second < 40; second++) world.pass(1_000);
      expect(tellings() - before).toBe(3);
      world.options = {};
      world.pass(60_000);
      expect(classOf(world)).toBe(name);
    }
  });

  it('that is taken back while it is refused is tried no more', () => {
    const world = deployed();
    reclass(world, { refuse });
    world.pass(120_000);
    world.edit(set, { spec: { template: { priorityClassName: null } } });
    world.settle();
    expect(errorsOf(world)).toEqual([]);
    for (let minute = 0; minute < 5; minute++) world.pass(60_000);
    world.options = {};
    const writes = world.writes.length;
    for (let minute = 0; minute < 5; minute++) world.pass(60_000);
    expect(patchesOf(world, writes)).toBe(0);
    expect(world.why({ ...gang, kind: 'podgang' }).join()).toContain('is initialized');
  });

  it('that is refused keeps no pod from being listed', () => {
    const world = deployed();
    reclass(world, { refuse });
    const snapshot = world.snapshotOf({ ...gang, kind: 'podgang' });
    if (snapshot === undefined) throw new Error('no actor');
    const [group] = list(at(world.get(gang.kind, gang.name), 'spec', 'podgroups'));
    const clique = String(at(group, 'name'));
    const pods = { type: 'clique.pods', clique, uid: 'u', missing: 0, names: ['other'] };
    const patchIn = (from: typeof snapshot): unknown =>
      podGang.reconcile(from, world.now).intents.find(({ type }) => type === 'patchObject');
    expect(patchIn(snapshot)).toHaveProperty('patch.spec.priorityClassName', 'high');
    const told = patchIn(podGang.reduce(snapshot, pods));
    expect(told).not.toHaveProperty('patch.spec.priorityClassName');
    expect(told).toHaveProperty('patch.spec.podgroups[0].podReferences[0].name', 'other');
  });

  it('reaches a PodGang of which another hand changed the label of its set', () => {
    const world = deployed();
    const labels = { 'app.kubernetes.io/part-of': 'other' };
    world.edit(gang, { metadata: { labels } });
    const changed = world.get(gang.kind, gang.name);
    if (changed === undefined) throw new Error('no PodGang');
    expect(readGang(changed)).toMatchObject({ set: 'demo', labels });
    world.converge();
    expect(at(world.get(gang.kind, gang.name), 'metadata', 'labels')).toMatchObject({
      'app.kubernetes.io/part-of': 'demo',
    });
  });

  it('says what it waits for, on both sides', () => {
    const world = deployed();
    reclass(world, { refuse });
    const setKey = { ...set, kind: 'podcliqueset' } as const;
    expect(world.why(setKey).join()).toContain('waiting for the PodGangs of replica 0');
    expect(world.why({ ...gang, kind: 'podgang' }).join()).toContain('about to be written');
  });

  it('is taken from no message that is malformed or about another PodGang', () => {
    const template = { marks: {}, groups: [], groupConfigs: [] };
    const bad = [{}, { uid: 'u' }, { template }, { uid: 7, template }, { uid: 'u', template: [] }];
    for (const fields of bad) expect(readWanted(fields)).toBeUndefined();
    expect(readWanted({ uid: 'u', template: {} })?.template.groups).toEqual([]);
    const whole = { gang: 'g', code: 'FORBIDDEN', message: 'no', at: Date.UTC(2026, 0) };
    expect(readFailure(whole)).toEqual(whole);
    const wrong = { gang: 7, code: 'toString', message: null, at: 'now' };
    for (const [name, value] of Object.entries(wrong)) {
      expect(readFailure({ ...whole, [name]: value })).toBeUndefined();
    }
  });

  it('that is refused is told in the status of the set until it is written', () => {
    const world = deployed();
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
