// What replies to writes tell an index of one name, in whatever order they come: the newest object
// counts, and it alone is told to be gone when a list does not show it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { ObjectIndex } from '#src/kube/watch/object-index.ts';

const pod = (uid: string, version: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'n', name: 'a', uid, resourceVersion: String(version) },
});

/** Objects that had the name one after the other, each with the versions that replies show. */
const lives = fc
  .uniqueArray(fc.integer({ min: 100, max: 199 }), { minLength: 1, maxLength: 8 })
  .map((versions) => versions.toSorted((a, b) => a - b))
  .map((versions) => versions.map((version, at) => pod(`uid-${at >> 1}`, version)));

const inAnyOrder = lives.chain((objects) =>
  fc.tuple(
    fc.constant(objects.at(-1)),
    fc.shuffledSubarray(objects, { minLength: objects.length, maxLength: objects.length }),
  ),
);

describe('Replies about one name, in any order', () => {
  it('leave the object that had it last, and its end is told once', () => {
    fc.assert(
      fc.property(inAnyOrder, ([last, replies]) => {
        const index = new ObjectIndex('Pod', false);
        index.beginList('50');
        expect(index.endList('50')).toEqual([]);
        const gone = replies.flatMap((reply) => {
          const { replaced, overtaken } = index.learn(reply);
          expect(overtaken).toBeUndefined();
          return replaced?.type === 'gone' ? [replaced.uid] : [];
        });
        const lastUid = last?.metadata.uid ?? '';
        expect(gone).not.toContain(lastUid);
        expect(new Set(gone).size).toBe(gone.length);
        expect(index.size).toBe(1);
        index.beginList('60');
        expect(index.endList('60')).toEqual([]);
        index.beginList('300');
        expect(index.endList('300')).toMatchObject([{ type: 'gone', uid: lastUid }]);
      }),
    );
  });

  it('are told to be over where a list of later versions has not shown them', () => {
    const index = new ObjectIndex('Pod', false);
    index.beginList('120');
    index.endList('120');
    for (const version of [119, 120]) {
      expect(index.learn(pod(`old-${version}`, version)).overtaken).toMatchObject({
        type: 'gone',
        uid: `old-${version}`,
      });
    }
    expect(index.learn(pod('new', 121))).toEqual({});
    expect(index.size).toBe(1);
  });
});

describe('The end of an object that was being deleted', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';

  // As it stands in the store where somebody wrote past every check.
  it.each([undefined, null, [], 'text'])('is sure where its finalizers are %j', (finalizers) => {
    const index = new ObjectIndex('Pod', false);
    const known = pod('u', 100);
    index.beginList('100');
    index.listed(known);
    index.endList('100');
    const metadata = { ...known.metadata, resourceVersion: '101', deletionTimestamp };
    const ended = index.deleted({ ...known, metadata: { ...metadata, ...Object({ finalizers }) } });
    expect(ended).toMatchObject([{ type: 'gone', uid: 'u' }]);
    expect(ended).not.toMatchObject([{ isSure: false }]);
  });
});
