// The cache against everything that lists, watches and replies may do: in any order, more than
// once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cache } from '#actors/mail/cache.ts';
import type { Target } from '#actors/mail/cache.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isNewer } from '#machines/kubernetes/versions.ts';
import { routes, setKey } from '../fixtures/facts.ts';

const ref: ObjectRef = { kind: 'Pod', namespace: 'default', name: 'p' };
const pod = (uid: string, version: number | string, name = 'p'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid, resourceVersion: String(version) },
});
const cache = (tombstones = 10) => new Cache({ tombstones });

const [route] = routes;
function target(name: string): Target {
  if (route === undefined) throw new Error('no route');
  const to = setKey(name);
  return {
    to,
    toId: `podcliqueset/default/${name}`,
    root: to,
    event: { type: 'e' },
    route,
    observed: {},
  };
}

describe('isNewer', () => {
  it('orders decimal versions of any size as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (a, b) => {
        expect(isNewer(String(a), String(b))).toBe(a > b);
      }),
    );
  });

  it('takes any other version as newer unless it is the same', () => {
    expect(isNewer('a', 'b')).toBe(true);
    expect(isNewer('a', 'a')).toBe(false);
  });
});

describe('The cache', () => {
  it('drops what is not newer', () => {
    const known = cache();
    expect(known.see('Pod', pod('u', 10))).toBeDefined();
    expect(known.see('Pod', pod('u', 10))).toBeUndefined();
    expect(known.see('Pod', pod('u', 9))).toBeUndefined();
    expect(known.see('Pod', pod('u', 11))).toBeDefined();
  });

  it('forgets whom an earlier object of the name was delivered to', () => {
    const all = cache();
    const news = all.see('Pod', pod('u', 10));
    if (news === undefined) throw new Error('not taken in');
    all.address(news.known, [target('demo')]);
    expect(all.isAddressed('podcliqueset/default/demo')).toBe(true);
    expect(all.see('Pod', pod('v', 11))?.replaced).toBe(news.known);
    expect(all.isAddressed('podcliqueset/default/demo')).toBe(false);
  });

  it('does not let a late event bring a deleted object back', () => {
    const known = cache();
    known.see('Pod', pod('u', 10));
    expect(known.gone(ref, 'u')?.uid).toBe('u');
    expect(known.see('Pod', pod('u', 12))).toBeUndefined();
    expect(known.get(ref)).toBeUndefined();
  });

  it('remembers a deletion of an object that it had not seen', () => {
    const known = cache();
    expect(known.gone(ref, 'u')).toBeUndefined();
    expect(known.see('Pod', pod('u', 5))).toBeUndefined();
  });

  it('takes an object back that was only taken for gone because of a 404', () => {
    const known = cache();
    known.see('Pod', pod('u', 10));
    known.gone(ref, 'u', { isSure: false });
    expect(known.see('Pod', pod('u', 10))).toBeDefined();
  });

  it('takes nothing back as it was before it was taken for gone', () => {
    const known = cache();
    known.see('Pod', pod('u', 206));
    known.gone(ref, 'u', { isSure: false });
    expect(known.see('Pod', pod('u', 125))).toBeUndefined();
    expect(known.get(ref)).toBeUndefined();
    expect(known.see('Pod', pod('u', 207))).toBeDefined();
    expect(known.get(ref)?.version).toBe('207');
  });

  it('keeps what is known to be newer than an end that is not sure', () => {
    const known = cache();
    known.see('Pod', pod('u', 30));
    expect(known.gone(ref, 'u', { isSure: false, upTo: '29' })).toBeUndefined();
    expect(known.get(ref)?.version).toBe('30');
    expect(known.gone(ref, 'u', { isSure: false, upTo: '30' })?.version).toBe('30');
    expect(known.get(ref)).toBeUndefined();
  });

  it('keeps what one kind does not select any more where another one selects it', () => {
    const known = cache();
    known.see('Pod', pod('u', 206));
    known.see('Service', pod('u', 120));
    known.gone(ref, 'u', { isSure: false });
    expect(known.see('Service', pod('u', 125))).toBeDefined();
    expect(known.see('Pod', pod('u', 125))).toBeUndefined();
    expect(known.gone({ ...ref, kind: 'Service' }, 'u')?.version).toBe('125');
    expect(known.see('Pod', pod('u', 300))).toBeUndefined();
  });

  it('remembers no end of what has no UID, by which others would be taken for it', () => {
    const known = cache();
    for (const end of [{ isSure: false }, {}] as const) {
      known.see('Pod', pod('', 206));
      expect(known.gone(ref, '', end)?.version).toBe('206');
      expect(known.see('Pod', pod('', 125, 'other'))).toBeDefined();
      known.gone({ ...ref, name: 'other' }, '');
    }
  });

  it('lets a name be taken by another object after a 404', () => {
    const known = cache();
    known.see('Pod', pod('u', 206));
    known.gone(ref, 'u', { isSure: false });
    expect(known.see('Pod', pod('v', 210))).toBeDefined();
    expect(known.see('Pod', pod('u', 205))).toBeUndefined();
    expect(known.get(ref)?.uid).toBe('v');
  });

  it('replaces an object of another UID and says which one went', () => {
    const known = cache();
    known.see('Pod', pod('old', 10));
    expect(known.see('Pod', pod('new', 20))).toMatchObject({ replaced: { uid: 'old' } });
    expect(known.see('Pod', pod('old', 30))).toBeUndefined();
    expect(known.gone(ref, 'old')).toBeUndefined();
    expect(known.get(ref)?.uid).toBe('new');
  });

  it('bounds its tombstones and forgets the oldest first', () => {
    const known = cache(2);
    for (const uid of ['a', 'b', 'c']) known.gone(ref, uid);
    expect(known.see('Pod', pod('c', 1))).toBeUndefined();
    expect(known.see('Pod', pod('a', 2))).toBeDefined();
  });

  it('knows which objects go to an actor, its own first, and forgets those that went', () => {
    const known = cache();
    const names = ['x', 'y', 'p'];
    for (const name of names) {
      const seen = known.see('Pod', pod(name, 1, name));
      if (seen !== undefined) known.address(seen.known, [target('set')]);
    }
    const addressed = () => known.addressedTo(setKey('set'), ref).map(({ uid }) => uid);
    expect(addressed()).toEqual(['p', 'x', 'y']);
    known.gone({ ...ref, name: 'x' }, 'x');
    const moved = known.at('Pod/default/y');
    if (moved !== undefined) known.address(moved, [target('other')]);
    expect(addressed()).toEqual(['p']);
    expect([...known.addressees()].map(({ to }) => to.name)).toEqual(['set', 'other']);
  });

  it('ends with the newest of each object, whatever the order of arrival', () => {
    const event = fc.record({
      uid: fc.constantFrom('a', 'b'),
      version: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1 }), (events) => {
        const known = cache();
        // The two UIDs held the name one after the other, so their versions do not overlap.
        const versionOf = (each: { uid: string; version: number }) =>
          each.uid === 'a' ? each.version : 100 + each.version;
        for (const each of events) known.see('Pod', pod(each.uid, versionOf(each)));
        const newest = Math.max(...events.map(versionOf));
        expect(known.get(ref)?.version).toBe(String(newest));
      }),
    );
  });
});
