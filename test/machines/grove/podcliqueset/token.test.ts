// The token Secret of a set: when it is created, and how it is looked after without being read.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import type { WorldOptions } from '#test/support/world-options.ts';
import { World } from '#test/support/world.ts';
import { acts, now, SetBench } from './sample.ts';

const inOrder = cliqueSet(1, [{ name: 'worker' }, { name: 'second' }], {
  cliqueStartupType: 'CliqueStartupTypeInOrder',
});
const secret = { kind: 'Secret', namespace: 'demo', name: 'demo-ic-sat' } as const;
const hourMs = 3_600_000;

function deployed(set: KubeObject, options: WorldOptions = {}): World {
  const world = new World(options);
  world.create(set);
  world.converge();
  return world;
}

const uidOf = (world: World): string | undefined => world.get('Secret', secret.name)?.metadata.uid;

const markOf = (world: World): unknown =>
  at(world.get('PodCliqueSet', 'demo'), 'metadata', 'annotations', 'grove.io/token-secret');

const summary = (world: World) => ({
  secrets: world.all('Secret').map(({ metadata }) => metadata.name),
  accounts: world.all('ServiceAccount').length,
  pods: world.all('Pod').length,
  observed: at(world.get('PodCliqueSet', 'demo'), 'status', 'observedGeneration'),
  errors: list(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors')).map((error) =>
    at(error, 'code'),
  ),
});

const whole = { secrets: ['demo-ic-sat'], accounts: 1, pods: 2, observed: 1, errors: [] };

describe('A token Secret', () => {
  it('is there for every set by default', () => {
    expect(summary(deployed(cliqueSet(1)))).toEqual(whole);
  });

  it('comes after the finalizer, and the mark with its UID after it', () => {
    const world = deployed(cliqueSet(1));
    const about = world.writes.flatMap(({ op, ref }) =>
      op !== 'status' && ['PodCliqueSet', 'Secret'].includes(ref.kind) ? [`${op} ${ref.kind}`] : [],
    );
    expect(about).toEqual(['patch PodCliqueSet', 'create Secret', 'patch PodCliqueSet']);
    const set = world.get('PodCliqueSet', 'demo')?.metadata.uid;
    expect(markOf(world)).toBe(`${set}/${uidOf(world)}`);
  });

  it('is created again at a restart, and marked anew', () => {
    const world = deployed(cliqueSet(1));
    world.remove(secret);
    world.converge();
    expect(uidOf(world)).toBeUndefined();
    world.restart();
    world.converge();
    expect(markOf(world)).toContain(`/${uidOf(world)}`);
  });

  it('is created again when somebody asks for a look at the set', () => {
    const world = deployed(cliqueSet(1));
    world.remove(secret);
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/reconcile-trigger': '1' } } });
    world.converge();
    expect(markOf(world)).toContain(`/${uidOf(world)}`);
  });

  it('that only goes a while after such a look is created again seconds later', () => {
    const world = deployed(cliqueSet(1));
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/reconcile-trigger': '1' } } });
    world.converge();
    world.remove(secret);
    world.pass(1_000);
    expect(uidOf(world)).toBeDefined();
  });

  it('is created again when the mark of the set is lost', () => {
    const world = deployed(cliqueSet(1));
    world.remove(secret);
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/token-secret': null } } });
    world.converge();
    expect(markOf(world)).toContain(`/${uidOf(world)}`);
  });

  it('of a set that has no finalizer of ours any more is deleted no more', () => {
    const world = deployed(cliqueSet(1));
    world.edit(demoSet, { metadata: { finalizers: ['grove.io/podcliqueset.grove.io', 'a/b'] } });
    world.remove(demoSet);
    world.converge();
    world.writes.length = 0;
    world.restart();
    world.converge();
    expect(world.writes).toEqual([]);
  });

  it('that goes with its ServiceAccount comes back with it', () => {
    const world = deployed(cliqueSet(1));
    world.remove({ kind: 'ServiceAccount', namespace: 'demo', name: 'demo' });
    world.converge();
    world.remove(secret);
    world.pass(1_000);
    expect(summary(world)).toEqual(whole);
    world.writes.length = 0;
    world.pass(hourMs / 2);
    expect(world.writes).toEqual([]);
  });

  it('waits for its ServiceAccount, since Kubernetes takes the Secret of one that is not', () => {
    const [account] = deployed(cliqueSet(1)).all('ServiceAccount');
    if (account === undefined) throw new Error('there is no ServiceAccount');
    const bench = new SetBench();
    const set = cliqueSet(1);
    const metadata = { ...set.metadata, finalizers: ['grove.io/podcliqueset.grove.io'] };
    bench.see({ ...set, metadata });
    const create = 'createObject Secret demo-ic-sat';
    const first = acts(bench.stabilize());
    expect(first).toContain('createObject ServiceAccount demo');
    expect(first).not.toContain(create);
    bench.see(account);
    expect(acts(bench.stabilize())).toContain(create);
  });

  it('is made too where the ServiceAccount of that name is another hand’s', () => {
    const world = new World();
    world.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'demo', namespace: 'demo' },
    });
    world.create(inOrder);
    world.converge();
    expect(uidOf(world)).toBeDefined();
    expect(world.all('Pod')).not.toEqual([]);
    world.writes.length = 0;
    for (let minute = 0; minute < 10; minute++) world.pass(60_000);
    expect(world.writes.filter(({ ref }) => ref.kind === 'Secret')).toEqual([]);
    // Kubernetes takes the Secrets of one that goes.
    world.remove({ kind: 'ServiceAccount', namespace: 'demo', name: 'demo' });
    world.remove(secret);
    for (let minute = 0; minute < 2; minute++) world.pass(60_000);
    expect(summary(world)).toMatchObject({ accounts: 1, secrets: ['demo-ic-sat'] });
  });

  const create = 'createObject Secret demo-ic-sat';

  /** A set that creates it, for the ServiceAccount that is there. */
  function creating() {
    const [account] = deployed(inOrder).all('ServiceAccount');
    if (account === undefined) throw new Error('there is no ServiceAccount');
    const bench = new SetBench();
    const metadata = { ...inOrder.metadata, finalizers: ['grove.io/podcliqueset.grove.io'] };
    bench.see({ ...inOrder, metadata });
    bench.see(account);
    expect(acts(bench.stabilize())).toContain(create);
    return { bench, account };
  }

  it('whose ServiceAccount went while it was being created is created again for the next', () => {
    const { bench, account } = creating();
    bench.lose('ServiceAccount', 'demo');
    bench.send({ type: 'effect.done', op: 'create', ref: secret, uid: 'old' });
    expect(acts(bench.stabilize())).not.toContain(create);
    bench.see({ ...account, metadata: { ...account.metadata, uid: 'next' } });
    expect(acts(bench.stabilize())).toContain(create);
  });

  it('is made once under a ServiceAccount that came after a refusal under another one', () => {
    const { bench, account } = creating();
    const failure = { code: 'SERVER_ERROR', message: 'no', retryAt: null, now } as const;
    bench.send({ type: 'effect.failed', op: 'create', ref: secret, ...failure });
    bench.lose('ServiceAccount', 'demo');
    bench.see({ ...account, metadata: { ...account.metadata, uid: 'next' } });
    expect(acts(bench.stabilize())).toContain(create);
    bench.send({ type: 'effect.done', op: 'create', ref: secret, uid: 'made' });
    expect(acts(bench.stabilize())).not.toContain(create);
  });

  it('is created again within an hour', () => {
    const world = deployed(cliqueSet(1));
    world.remove(secret);
    world.pass(hourMs - 1);
    expect(uidOf(world)).toBeUndefined();
    world.pass(1);
    expect(uidOf(world)).toBeDefined();
  });

  it.each([
    ['the process that made it', false],
    ['one that came later', true],
  ])('is deleted with its set by %s', (_, isLater) => {
    const world = deployed(cliqueSet(1));
    if (isLater) world.restart();
    // What was refused is tried again by then.
    world.pass(1_000);
    world.remove(demoSet);
    world.stabilize();
    expect(world.writes).toContainEqual({ op: 'delete', ref: secret });
    world.converge();
    expect([...world.objects.keys()]).toEqual([]);
  });

  it('whose deletion is refused is left to the garbage collector', () => {
    const refuse: WorldOptions['refuse'] = (op, { kind }) =>
      op === 'delete' && kind === 'Secret' ? 'FORBIDDEN' : undefined;
    const world = deployed(cliqueSet(1), { refuse });
    world.remove(demoSet);
    world.converge();
    expect([...world.objects.keys()]).toEqual([]);
  });

  it('is not known by the mark of an earlier set of that name', () => {
    const { metadata, ...rest } = inOrder;
    const annotations = { 'grove.io/token-secret': 'earlier/uid' };
    const world = new World();
    world.create({ apiVersion: 'v1', kind: 'Secret', metadata: { ...secret } });
    world.create({ ...rest, metadata: { ...metadata, annotations } });
    world.converge();
    expect(summary(world)).toMatchObject({ pods: 0, errors: ['ERR_SECRET_CONFLICT'] });
  });
});

describe('Where only a start-up order has token Secrets', () => {
  const settings = { sparesTokens: true };

  it('one is left away from a set without order, which is whole without it', () => {
    const world = deployed(cliqueSet(1), { settings });
    expect(summary(world)).toEqual({ ...whole, secrets: [] });
    world.remove(demoSet);
    world.converge();
    expect([...world.objects.keys()]).toEqual([]);
  });

  it('one is there for a set whose cliques wait for each other', () => {
    expect(summary(deployed(inOrder, { settings }))).toEqual({ ...whole, pods: 4 });
  });

  it('one is there where only members of a group wait', () => {
    const { spec, ...rest } = groupedSet(1);
    const template = {
      ...Object(at(spec, 'template')),
      cliqueStartupType: 'CliqueStartupTypeExplicit',
      cliques: list(at(spec, 'template', 'cliques')).map((clique) => ({
        ...Object(clique),
        spec: {
          ...Object(at(clique, 'spec')),
          ...(at(clique, 'name') === 'hand' ? { startsAfter: ['leader'] } : {}),
        },
      })),
    };
    const world = deployed({ ...rest, spec: { ...Object(spec), template } }, { settings });
    expect(summary(world).secrets).toEqual(['demo-ic-sat']);
  });
});
