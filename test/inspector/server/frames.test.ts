// How often a batch is written: once for all who see the same of it.
import { describe, expect, it, vi } from 'vitest';
import { actorId } from '#machines/contract/address.ts';
import type { Batch } from '#src/inspector/server/feed.ts';
import { Frames } from '#src/inspector/server/frames.ts';
import { type MayUser, Rights } from '#src/inspector/server/rights.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { clique, FakeActors } from '../served.ts';

const names = ['a', 'b', 'c'];

/** Of so many viewers with these rights: their texts, and how many rows were read for them. */
async function written(rights: readonly Rights[]) {
  const actors = new FakeActors(new VirtualClock());
  for (const name of names) actors.set(clique(name), {});
  const row = vi.spyOn(actors, 'row');
  const changed = new Map(names.map((name) => [actorId(clique(name)), clique(name)]));
  const batch: Batch = { sequence: 7, changed, facts: [], skipped: 0 };
  const frames = new Frames(actors, batch);
  const texts: string[] = [];
  for (const one of rights) {
    await one.learn(frames.places).catch(() => undefined);
    texts.push(Buffer.from(await frames.text(one, 'all')).toString());
  }
  return { texts, reads: row.mock.calls.length };
}

const rightsOf = (may: MayUser): Rights => new Rights(may);
const everything: MayUser = () => Promise.resolve(true);
const inNamespace: MayUser = ({ namespace }) => Promise.resolve(namespace !== '');
const nothing: MayUser = () => Promise.resolve(false);

describe('A batch', () => {
  it('is written once for all users who may list everything', async () => {
    const { texts, reads } = await written([rightsOf(everything), rightsOf(everything)]);
    expect(texts[0]).toContain('event: delta');
    expect(texts[1]).toBe(texts[0]);
    expect(reads).toBe(names.length);
  });

  it('is written once for all streams of a user who may list a namespace', async () => {
    const rights = rightsOf(inNamespace);
    const { texts, reads } = await written([rights, rights, rights]);
    expect(texts[0]).toContain('event: delta');
    expect(new Set(texts).size).toBe(1);
    expect(reads).toBe(names.length);
  });

  it('that was written while the API server did not say is written anew when it has', async () => {
    let calls = 0;
    const rights = rightsOf((attributes) =>
      calls++ === 0 ? Promise.reject(new Error('away')) : inNamespace(attributes),
    );
    const { texts } = await written([rights, rights]);
    expect(texts[0]).toBe('');
    expect(texts[1]).toContain('event: delta');
  });

  it('is written apart for users whose rights differ', async () => {
    const { texts, reads } = await written([rightsOf(inNamespace), rightsOf(nothing)]);
    expect(texts[0]).toContain('event: delta');
    expect(texts[1]).toBe('');
    expect(reads).toBe(names.length);
  });
});
