// Leases as objects: what is written is read again, by a create or by a patch, and what is none of
// ours, or lacks what it must have, is no lease.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Draft } from '#actors/shards/lease/records.ts';
import { allKinds } from '#machines/kinds.ts';
import { at, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { leaseBody, leasePatch, readLease } from '#src/leases/objects.ts';
import { mergePatch } from '#test/support/merge-patch.ts';

const stamp = { namespace: 'ours', durationSeconds: 15, now: Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
const of = { uid: 'u', version: '9' };

const anyMember = fc.record(
  {
    type: fc.constant('member' as const),
    member: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
    joinedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    leaving: fc.boolean(),
    address: fc.constantFrom('https://10.0.0.7:9443', 'https://pod.example:1'),
  },
  { requiredKeys: ['type', 'member', 'joinedAt', 'leaving'] },
);
const anyShard = fc.record({
  type: fc.constant('shard' as const),
  shard: fc.nat({ max: 255 }),
  holder: fc.constantFrom('', 'a-1', 'b-2'),
  epoch: fc.nat({ max: 1_000_000 }),
  written: fc.dictionary(fc.constantFrom(...allKinds()), fc.nat().map(String), { maxKeys: 3 }),
});
const anyDraft: fc.Arbitrary<Draft> = fc.oneof(anyMember, anyShard);

/** As the server has stored it. */
const stored = (body: JsonObject): KubeObject =>
  mergePatch(body as unknown as KubeObject, {
    metadata: { uid: of.uid, resourceVersion: of.version },
  });

describe('A lease', () => {
  it('is read as it was created', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        expect(readLease(stored(leaseBody(draft, stamp)))).toEqual({ ...draft, ...of });
      }),
    );
  });

  it('is what a patch makes of any lease of the name', () => {
    const pairs = fc.oneof(
      fc.tuple(anyMember, anyMember).map(([a, b]) => [a, { ...b, member: a.member }] as const),
      fc.tuple(anyShard, anyShard).map(([a, b]) => [a, { ...b, shard: a.shard }] as const),
    );
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const patch = leasePatch(after, stamp, of);
        expect(patch['metadata']).toMatchObject({ uid: 'u', resourceVersion: '9' });
        expect(readLease(mergePatch(stored(leaseBody(before, stamp)), patch))).toEqual({
          ...after,
          ...of,
        });
      }),
    );
  });

  it('tells people who holds it, for how long, and since when', () => {
    const member = leaseBody({ type: 'member', member: 'a', joinedAt: 1, leaving: false }, stamp);
    expect(member['metadata']).toEqual({
      name: 'coppice-member-a',
      namespace: 'ours',
      labels: { 'coppice.dev/lease': 'member', 'app.kubernetes.io/part-of': 'coppice' },
      annotations: { 'coppice.dev/joined-at': '1' },
    });
    const renewTime = '2026-01-02T03:04:05.006000Z';
    expect(member['spec']).toEqual({ holderIdentity: 'a', leaseDurationSeconds: 15, renewTime });
    const shard = { type: 'shard', shard: 3, holder: 'a', epoch: 2, written: {} } as const;
    expect(leaseBody(shard, stamp)['spec']).toEqual({
      ...{ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 2 },
      acquireTime: renewTime,
    });
  });
});

/** Under another name too, which no patch can give. */
function changed(base: KubeObject, patch: JsonObject): KubeObject {
  const merged = mergePatch(base, patch);
  const name = textOf(at(patch, 'metadata', 'name')) ?? merged.metadata.name;
  return { ...merged, metadata: { ...merged.metadata, name } };
}

const memberObject = stored(
  leaseBody({ type: 'member', member: 'a', joinedAt: 5, leaving: true }, stamp),
);
const shardObject = stored(
  leaseBody({ type: 'shard', shard: 3, holder: 'a', epoch: 2, written: { Pod: '7' } }, stamp),
);
const annotated = (name: string, text: string | null): JsonObject => ({
  metadata: { annotations: { [`coppice.dev/${name}`]: text } },
});

describe('What stands in the place of a lease', () => {
  it.each<[string, KubeObject, JsonObject]>([
    ['without a UID', memberObject, { metadata: { uid: null } }],
    ['without a version', memberObject, { metadata: { resourceVersion: null } }],
    ['without a holder', memberObject, { spec: { holderIdentity: null } }],
    ['of the name of another', memberObject, { metadata: { name: 'coppice-member-b' } }],
    ['of another type', memberObject, { metadata: { labels: { 'coppice.dev/lease': 'x' } } }],
    ['a shard without a number', shardObject, { metadata: { name: 'coppice-shard-' } }],
    ['a shard of another name', shardObject, { metadata: { name: 'my-coppice-shard-3' } }],
    ['a shard with more to its name', shardObject, { metadata: { name: 'coppice-shard-3b' } }],
  ])('is no lease: %s', (_what, base, patch) => {
    expect(readLease(base)).toBeDefined();
    expect(readLease(changed(base, patch))).toBeUndefined();
  });

  it.each<[string, KubeObject, JsonObject, object]>([
    ['no time of joining', memberObject, annotated('joined-at', null), { joinedAt: 0 }],
    ['a time that is none', memberObject, annotated('joined-at', 'soon'), { joinedAt: 0 }],
    ['another word for leaving', memberObject, annotated('leaving', 'yes'), { leaving: false }],
    ['no epoch', shardObject, { spec: { leaseTransitions: null } }, { epoch: 0 }],
    ['no holder', shardObject, { spec: { holderIdentity: null } }, { holder: '' }],
    ['versions that are no JSON', shardObject, annotated('written', '{'), { written: {} }],
    [
      'versions of unknown kinds, and numbers',
      shardObject,
      annotated('written', '{"Pod":"8","Node":"1","PodGang":7}'),
      { written: { Pod: '8' } },
    ],
  ])('is read with %s', (_what, base, patch, read) => {
    expect(readLease(changed(base, patch))).toMatchObject(read);
  });

  it.each([
    'http://10.0.0.7:9443',
    'https://10.0.0.7:9443/path',
    'https://me@10.0.0.7:9443',
    'HTTPS://10.0.0.7:9443',
    'https://',
    '10.0.0.7',
  ])('is read without the address %s', (address) => {
    const read = readLease(changed(memberObject, annotated('address', address)));
    expect(read).toMatchObject({ member: 'a' });
    expect(read).not.toHaveProperty('address');
  });
});
