// The test kit itself: a behaviour runs on it as it would in the runtime, synchronously.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { behaviours } from '#test/actors/fixtures/behaviours.ts';
import { cliqueKey, routes, setKey } from '#test/actors/fixtures/facts.ts';
import { cliques } from '#test/actors/fixtures/plan.ts';
import { kit, ofType } from './kit.ts';

const [setBehaviour, cliqueBehaviour] = behaviours;
if (setBehaviour === undefined || cliqueBehaviour === undefined) throw new Error('no behaviours');

const object = (kind: string, name: string, owner: string, fields: object): KubeObject => ({
  apiVersion: 'x',
  kind,
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion: '1',
    labels: { root: 'demo' },
    ownerReferences: [{ apiVersion: 'x', kind: 'X', name: owner, uid: 'o', controller: true }],
  },
  ...fields,
});
const clique = object('PodClique', 'demo-0', 'demo', { spec: { replicas: 2, pods: 2 } });
const pod = (at: number, isReady: boolean) =>
  object('Pod', `demo-0-${at}`, 'demo-0', { status: { isReady } });

const ofClique = () =>
  kit(cliqueBehaviour, { key: cliqueKey('demo-0'), root: setKey('demo'), routes });

describe('The kit', () => {
  it('gives what a reconcile intends as data', () => {
    const creates = ofType(ofClique().given(clique).stabilize(), 'createObject');
    expect(creates.map(({ ref }) => ref.name)).toEqual(['demo-0-0', 'demo-0-1']);
  });

  it('delivers objects by the routes, and only to the actor under test', () => {
    const run = ofClique().given(clique, pod(0, true), object('Pod', 'x', 'other', {}));
    expect(run.snapshot.context.children.size).toBe(1);
    expect(run.gone(pod(0, true)).snapshot.context.children.size).toBe(0);
  });

  it('says when something was no news', () => {
    const run = ofClique().given(clique);
    expect(run.given(clique).changed).toBe(false);
    expect(run.given(pod(1, true)).changed).toBe(true);
  });

  it('delivers the results of writes, the reply before', () => {
    const run = ofClique().given(clique);
    const [first, second] = ofType(run.stabilize(), 'createObject');
    if (first === undefined || second === undefined) throw new Error('two creates were expected');
    run.done(first, pod(0, false));
    run.failed(second, 'SERVER_ERROR');
    run.retry(second);
    expect(run.snapshot.context).toMatchObject({ failures: ['create SERVER_ERROR'] });
    expect(ofType(run.stabilize(), 'createObject').map(({ ref }) => ref.name)).toEqual([
      'demo-0-1',
    ]);
  });

  it('reconciles at each deadline when the time is moved on', () => {
    const spec = { spec: { replicas: 0, pods: 0, poison: 'wake' } };
    const run = ofClique().given(object('PodClique', 'demo-0', 'demo', spec));
    run.stabilize();
    expect(run.wakesAt).toBe(run.now + 5_000);
    run.advance(11_000);
    expect(run.snapshot.context.reconciles).toBe(3);
  });

  it('shows state, end and reasons', () => {
    const run = ofClique().given(clique);
    expect([run.value, run.isOver, run.why]).toEqual(['awaited', false, ['reconciled 1 times']]);
    run.gone(clique).stabilize();
    expect([run.value, run.isOver]).toEqual(['gone', true]);
  });

  it('takes what is read, and refuses objects that a route cannot read', () => {
    const run = kit(setBehaviour, { key: setKey('demo'), routes });
    run.send(cliques.event('demo', { 'demo-0': 2 }));
    expect(run.snapshot.context.published).toEqual({ 'demo-0': 2 });
    expect(() => run.given(object('PodCliqueSet', 'demo', '', {}))).toThrow(/spec.replicas/);
  });
});
