// A create of the token Secret that is refused since the name is taken: by whom is inferred, each
// case with the moment at which something went wrong.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import type { WorldOptions } from '#test/support/world-options.ts';
import { World } from '#test/support/world.ts';
import { acts, SetBench } from './sample.ts';

const inOrder = cliqueSet(1, [{ name: 'worker' }, { name: 'second' }], {
  cliqueStartupType: 'CliqueStartupTypeInOrder',
});
const secret = { kind: 'Secret', namespace: 'demo', name: 'demo-ic-sat' } as const;
const longestPauseMs = 30_000;

const secretOf = (owner?: { readonly uid: string }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: secret.name,
    namespace: secret.namespace,
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'grove.io/v1alpha1', ...demoSet, ...owner, controller: true },
          ],
        }),
  },
});

function started(set: KubeObject, options: WorldOptions = {}, ...before: KubeObject[]): World {
  const world = new World(options);
  for (const one of [...before, set]) world.create(one);
  world.converge();
  return world;
}

const errorsOf = (world: World): readonly unknown[] =>
  list(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors'));
const conflict = [expect.objectContaining({ code: 'ERR_SECRET_CONFLICT' })];
const podsOf = (world: World): number => world.all('Pod').length;
const setUid = (world: World): string => world.get('PodCliqueSet', 'demo')?.metadata.uid ?? '';

/** Loses the answer to the first create of the Secret, which is done. */
function losingFirst(): { readonly options: WorldOptions; world?: World } {
  const stage: { options: WorldOptions; world?: World } = { options: {} };
  let isLost = false;
  const refuse: WorldOptions['refuse'] = (op, { kind }) => {
    if (isLost || op !== 'create' || kind !== 'Secret' || stage.world === undefined)
      return undefined;
    isLost = true;
    stage.world.create(secretOf({ uid: setUid(stage.world) }));
    return 'UNREACHABLE';
  };
  return Object.assign(stage, { options: { refuse } });
}

describe('A token Secret’s name that a stranger has', () => {
  it('is reported and keeps pods from mounting it, until it is free', () => {
    const world = started(inOrder, {}, secretOf());
    expect(errorsOf(world)).toEqual(conflict);
    expect(at(errorsOf(world)[0], 'description')).toContain(
      'Secret demo/demo-ic-sat exists and is not controlled by this PodCliqueSet; remove or rename it',
    );
    expect(world.all('PodClique')).toEqual([]);
    world.remove(secret);
    world.pass(longestPauseMs);
    world.converge();
    expect(errorsOf(world)).toEqual([]);
    expect(podsOf(world)).toBe(4);
  });

  it('is said by `why`', () => {
    const world = started(inOrder, {}, secretOf());
    expect(world.why({ kind: 'podcliqueset', namespace: 'demo', name: 'demo' })[0]).toContain(
      'Secret demo/demo-ic-sat exists',
    );
  });

  it('is reported and in the way of no pod where none would mount it', () => {
    const world = started(cliqueSet(1), {}, secretOf());
    expect(errorsOf(world)).toEqual(conflict);
    expect(podsOf(world)).toBe(2);
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'observedGeneration')).toBeUndefined();
  });

  it('is nobody’s business where the set needs none', () => {
    const world = started(cliqueSet(1), { settings: { sparesTokens: true } }, secretOf());
    expect(errorsOf(world)).toEqual([]);
  });

  it('is not forgotten at a restart', () => {
    const world = started(inOrder, {}, secretOf());
    world.restart();
    world.converge();
    world.pass(longestPauseMs);
    world.converge();
    expect(errorsOf(world)).toEqual(conflict);
    expect(podsOf(world)).toBe(0);
  });

  it('is not taken for ours after a create without an answer', () => {
    const world = started(inOrder, {}, secretOf());
    world.options = {
      refuse: (op, { kind }) => (op + kind === 'createSecret' ? 'UNREACHABLE' : undefined),
    };
    world.pass(longestPauseMs);
    world.options = {};
    world.pass(longestPauseMs);
    world.converge();
    expect(errorsOf(world)).toEqual(conflict);
    expect(podsOf(world)).toBe(0);
  });

  it('is not deleted with the set', () => {
    const world = started(inOrder, {}, secretOf());
    world.remove(demoSet);
    world.converge();
    expect([...world.objects.keys()]).toEqual(['Secret/demo/demo-ic-sat']);
  });
});

describe('A token Secret that is there although nobody was told', () => {
  it('is ours after a create whose answer was lost', () => {
    const stage = losingFirst();
    const world = new World(stage.options);
    stage.world = world;
    world.create(inOrder);
    world.converge();
    expect(podsOf(world)).toBe(0);
    world.pass(longestPauseMs);
    world.converge();
    expect(errorsOf(world)).toEqual([]);
    expect(podsOf(world)).toBe(4);
  });

  it('is ours after a crash between its create and the mark', () => {
    const stage = losingFirst();
    const world = new World(stage.options);
    stage.world = world;
    world.create(inOrder);
    world.stabilize();
    world.restart();
    world.converge();
    expect(errorsOf(world)).toEqual([]);
    expect(podsOf(world)).toBe(4);
  });

  it('is ours where the set is an earlier release’s, and is looked after ever less often', () => {
    const world = started(inOrder);
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/token-secret': null } } });
    world.restart();
    world.converge();
    expect(errorsOf(world)).toEqual([]);
    const uid = world.get('Secret', secret.name)?.metadata.uid;
    world.remove(secret);
    world.pass(999);
    expect(world.all('Secret')).toEqual([]);
    world.pass(1);
    expect(world.all('Secret').map(({ metadata }) => metadata.uid)).not.toEqual([uid]);
    expect(podsOf(world)).toBe(4);
  });
});

describe('A token Secret of an earlier set of that name', () => {
  it('keeps pods from mounting it, and its place is taken when it was collected', () => {
    const world = started(inOrder, {}, secretOf({ uid: 'earlier' }));
    expect(podsOf(world)).toBe(0);
    world.pass(longestPauseMs);
    world.converge();
    expect(errorsOf(world)).toEqual([]);
    expect(podsOf(world)).toBe(4);
  });

  it('that was taken for ours in doubt is made anew once it was collected', () => {
    const world = new World();
    world.create(secretOf({ uid: 'earlier' }));
    world.create(inOrder);
    // Our finalizer is on, and then the process dies.
    world.edit(demoSet, { metadata: { finalizers: ['grove.io/podcliqueset.grove.io'] } });
    world.restart();
    world.converge();
    expect(world.all('Secret')).toEqual([]);
    world.pass(1_000);
    world.converge();
    const [made] = world.all('Secret');
    expect(made?.metadata.ownerReferences?.[0]?.uid).toBe(setUid(world));
  });
});

describe('Where Secrets may be read', () => {
  const at1 = { now: 0, retryAt: 1 };
  const taken = { ...at1, type: 'effect.failed', op: 'create', ref: secret, message: '' } as const;

  function marked(): SetBench {
    const bench = new SetBench({ readsSecretsIn: ['demo'] });
    bench.see(inOrder);
    for (let round = 0; round < 4; round++) bench.work();
    return bench;
  }
  const statusOf = (bench: SetBench): unknown =>
    at(
      bench.stabilize().find(({ type }) => type === 'writeStatus'),
      'status',
    );

  it('one that is another’s is a conflict whatever the mark says', () => {
    const bench = marked();
    bench.send({ ...taken, code: 'ALREADY_EXISTS' });
    expect(at(statusOf(bench), 'lastErrors')).toEqual(conflict);
    expect(acts(bench.stabilize())).toContain('createObject Secret demo-ic-sat');
  });

  it('one that is going is waited for and not reported', () => {
    const bench = marked();
    bench.see({ ...inOrder, metadata: { ...inOrder.metadata, uid: 'another' } });
    bench.work();
    bench.send({ ...taken, code: 'CONFLICT' });
    expect(at(statusOf(bench), 'lastErrors')).toBeUndefined();
    expect(acts(bench.stabilize())).toContain('createObject Secret demo-ic-sat');
  });
});
