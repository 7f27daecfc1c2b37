// What of a PodGang comes from its set: the set publishes it and its own actor writes it, whatever
// is lost, refused or started anew on the way. Nobody else writes the spec.
import { describe, expect, it } from 'vitest';
import { readGang } from '#machines/grove/objects/podgang.ts';
import { podGang } from '#machines/grove/podgang/behaviour.ts';
import { gangTemplate, wantedPods } from '#machines/grove/views/gang-template.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { World, type WorldOptions } from '#test/support/world.ts';

const set = { kind: 'PodCliqueSet', namespace: 'demo', name: 'demo' } as const;
const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;

/** Another priority class is another template: no pod is replaced for it here. */
function deployed(): World {
  const world = new World();
  const one = cliqueSet(1);
  world.create({ ...one, spec: { ...Object(one['spec']), updateStrategy: { type: 'OnDelete' } } });
  world.converge();
  return world;
}

/** The priority class is not part of any PodClique. */
function reclass(world: World, options: WorldOptions, priorityClassName = 'high'): void {
  world.options = options;
  world.edit(set, { spec: { template: { priorityClassName } } });
  world.stabilize();
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
  it('is written once, and is published no more once it is there', () => {
    const world = deployed();
    const writes = world.writes.length;
    reclass(world, {});
    world.converge();
    expect(classOf(world)).toBe('high');
    expect(patchesOf(world, writes)).toBe(1);
    const woken = world.woken.length;
    world.pass(600_000);
    expect(world.woken.slice(woken)).toEqual([]);
    expect(world.why({ ...set, kind: 'podcliqueset' })).toEqual([
      expect.stringContaining('the strategy is OnDelete'),
    ]);
  });

  it('is read after a while where the message was lost', () => {
    const world = deployed();
    reclass(world, { lose: (_, view) => view === 'gangTemplate' });
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

  it('that is taken back while it is refused is tried no more', () => {
    const world = deployed();
    reclass(world, { refuse });
    world.pass(120_000);
    world.edit(set, { spec: { template: { priorityClassName: null } } });
    world.stabilize();
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
    const uid = world.get(gang.kind, gang.name)?.metadata.uid;
    const pods = wantedPods.event(`demo/${clique}`, {
      gang: uid,
      missing: 0,
      names: ['other'],
      isRunning: false,
    });
    const patchIn = (from: typeof snapshot): unknown =>
      podGang.reconcile(from, world.now).intents.find(({ type }) => type === 'patchObject');
    expect(patchIn(snapshot)).toHaveProperty('patch.spec.priorityClassName', 'high');
    const listing = patchIn(podGang.reduce(snapshot, pods));
    expect(listing).not.toHaveProperty('patch.spec.priorityClassName');
    expect(listing).toHaveProperty('patch.spec.podgroups[0].podReferences[0].name', 'other');
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

  it('is none of another PodGang of its name', () => {
    const world = deployed();
    const snapshot = world.snapshotOf({ ...gang, kind: 'podgang' });
    if (snapshot === undefined) throw new Error('no actor');
    const template = {
      marks: { labels: {}, annotations: {} },
      priorityClassName: 'high',
      groupConfigs: [],
      groups: [],
    };
    const patchOf = (uid: string): unknown => {
      const read = podGang.reduce(snapshot, gangTemplate.event('demo/demo-0', { uid, template }));
      return podGang.reconcile(read, world.now).intents.find(({ type }) => type === 'patchObject');
    };
    expect(patchOf('earlier')).toBeUndefined();
    const uid = world.get(gang.kind, gang.name)?.metadata.uid ?? '';
    expect(patchOf(uid)).toHaveProperty('patch.spec.priorityClassName', 'high');
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
