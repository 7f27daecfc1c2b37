// Objects of a kind that is not watched: their actor is told of the UID and of nothing else, and
// nobody looks at what may not be read.
import { describe, expect, it } from 'vitest';
import type { WriteIntent } from '#actors/effects/work.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { remove, runner, setActor } from '../fixtures/runner.ts';

const ref = { kind: 'Secret', namespace: 'default', name: 's' } as const;
const owner = { apiVersion: 'x', kind: 'PodCliqueSet', name: 'demo', controller: true } as const;
const secretOf = (uid: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'default', ownerReferences: [{ ...owner, uid }] },
});
const create: WriteIntent = {
  type: 'createObject',
  ref,
  reason: 'test',
  body: secretOf('own'),
};

function stage(mayRead: boolean) {
  const given = runner();
  let reads = 0;
  const read = given.cluster.read.bind(given.cluster);
  const port = Object.assign(given.cluster, { mayRead: () => mayRead });
  port.read = (...args) => {
    reads++;
    return read(...args);
  };
  const there = (uid: string): KubeObject =>
    port.apply('Secret', 's', {}, { ownerReferences: [{ ...owner, uid }] });
  return { ...given, there, reads: () => reads };
}

describe('An object of a kind that is not watched', () => {
  it('is told of by its UID when it was created, and stays out of the cache', async () => {
    const { clock, cluster, cache, submit, heard } = stage(false);
    submit(setActor(), create);
    await clock.advance(10);
    const uid = cluster.get(ref)?.metadata.uid;
    expect(heard).toEqual([`demo done create s ${uid}`]);
    expect(cache.at('Secret/default/s')).toBeUndefined();
  });

  it('that is there is not read where that is not granted', async () => {
    const { clock, submit, heard, there, reads } = stage(false);
    there('own');
    submit(setActor(), create);
    await clock.advance(10);
    expect(heard).toEqual(['demo failed create s ALREADY_EXISTS later']);
    expect(reads()).toBe(0);
  });

  it('that is there and ours is told of by its UID where it may be read', async () => {
    const { clock, submit, heard, there, reads } = stage(true);
    const { metadata } = there('own');
    submit(setActor(), create);
    await clock.advance(10);
    expect(heard).toEqual([`demo done create s ${metadata.uid}`]);
    expect(reads()).toBe(1);
  });

  it('that an earlier owner of the name left is waited for where it may be read', async () => {
    const { clock, submit, heard, there } = stage(true);
    there('earlier');
    submit(setActor(), create);
    await clock.advance(10);
    expect(heard).toEqual(['demo failed create s CONFLICT later']);
  });

  it('is gone for whoever wants to delete it where the name has another by now', async () => {
    const { clock, cluster, submit, heard, there, reads } = stage(false);
    const old = there('own');
    cluster.delete(ref);
    const other = there('other');
    submit(setActor(), remove(old, 'Secret'));
    await clock.advance(10);
    expect(heard).toEqual(['demo done delete s']);
    expect(reads()).toBe(0);
    expect(cluster.get(ref)?.metadata.uid).toBe(other.metadata.uid);
  });
});
