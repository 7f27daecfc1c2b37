// A write on its way: which of two on one object goes, how urgent it is, when it is out of date,
// and the request that it becomes, with its preconditions.
import { describe, expect, it } from 'vitest';
import {
  isOutdated,
  isOvertakenByNews,
  isWritten,
  overtakes,
  rankOf,
  requestOf,
  type Work,
  type WriteIntent,
  workOf,
} from '#actors/effects/work.ts';
import { Cache, type Known } from '#actors/mail/cache.ts';
import { noCause } from '#actors/mail/causality.ts';
import type { Actor } from '#actors/run/actor.ts';
import type { WriteStatus } from '#machines/contract/intents.ts';
import { cliqueActor, setActor } from '../fixtures/runner.ts';

const ref = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const meta = { name: ref.name, namespace: ref.namespace };
const of = { ref, reason: 'a test' } as const;
const create: WriteIntent = {
  ...{ ...of, type: 'createObject' },
  body: { apiVersion: 'grove.io/v1alpha1', kind: 'PodClique', metadata: meta },
};
const patch = { ...of, type: 'patchObject', uid: 'u', patch: { spec: { a: 1 } } } as const;
const remove = { ...of, type: 'deleteObject', uid: 'u' } as const;
const status: WriteStatus = {
  ...{ ...of, type: 'writeStatus', uid: 'u', urgency: 'now' },
  status: { ready: 1 },
};

/** As the cache knows it. */
function knownOf(more: object = {}): Known {
  const cache = new Cache({ tombstones: 10 });
  const metadata = { ...meta, uid: 'u', resourceVersion: '7' };
  cache.see('PodClique', { apiVersion: 'grove.io/v1', kind: 'PodClique', metadata, ...more });
  return cache.get(ref) ?? expect.fail('it is not known');
}

describe('Of two writes on one object that were not sent', () => {
  const all = { create, patch, delete: remove, status };
  type Name = keyof typeof all;
  const names: readonly Name[] = ['create', 'patch', 'delete', 'status'];
  const winners = (given: Parameters<typeof overtakes>[2]): readonly string[] =>
    names.map((queued) =>
      names.filter((next) => overtakes(all[next], all[queued], given)).join(' '),
    );
  it.each<[string, Parameters<typeof overtakes>[2], readonly string[]]>([
    [
      'it is not there',
      { isThere: false },
      ['create delete', 'create patch delete', 'delete', 'create patch delete status'],
    ],
    [
      'it is there',
      { isThere: true },
      ['create patch delete status', 'patch delete', 'delete', 'patch delete status'],
    ],
    [
      'a delete was refused',
      { isThere: false, refused: 'deleteObject' },
      ['create', 'create patch', 'create patch delete status', 'create patch status'],
    ],
  ])('the later one goes where it weighs as much: %s', (_what, given, expected) => {
    expect(winners(given)).toEqual(expected);
  });
});

const queued = (rank: Work['rank']): Work =>
  workOf(setActor(), create, {
    ...{ rank, cause: noCause, reconcileId: 'r', epoch: 1, version: undefined },
  });

describe('A write', () => {
  const lazy: WriteIntent = { ...status, urgency: 'lazy' };
  const behindStatus: WriteIntent = { ...status, urgency: 'behind' };
  const urgent = (urgency: 'first' | 'behind' | 'last'): WriteIntent => ({ ...create, urgency });
  const clique = cliqueActor('demo-0');
  it.each<[string, Actor, WriteIntent, Work | undefined, Work['rank']]>([
    ['of a root', setActor(), create, undefined, 'root'],
    ['of a child', clique, create, undefined, 'child'],
    ['of a child of the same name', cliqueActor('demo'), create, undefined, 'child'],
    ['that others wait for', clique, urgent('first'), undefined, 'first'],
    ['that nobody waits for', setActor(), urgent('behind'), undefined, 'behind'],
    ['that only tells', clique, urgent('last'), undefined, 'last'],
    ['of a status', clique, status, undefined, 'status'],
    ['of a status that has time', clique, lazy, undefined, 'lazy'],
    ['of a status that nobody waits for', clique, behindStatus, undefined, 'behind'],
    ['of a status over one that is waited for', clique, lazy, queued('status'), 'status'],
    ['of a status over one of a child', clique, lazy, queued('child'), 'status'],
    ['of a status over a lazy one', clique, lazy, queued('lazy'), 'lazy'],
    ['of a status over one of nobody', clique, behindStatus, queued('behind'), 'behind'],
    ['of a status over a lazy one, at once', clique, status, queued('lazy'), 'status'],
  ])('%s has its rank', (_what, actor, intent, before, rank) => {
    expect(rankOf(actor, intent, before)).toBe(rank);
  });

  const asked = {
    rank: 'root',
    cause: noCause,
    reconcileId: 'r1',
    epoch: 1,
    version: '7',
  } as const;
  it.each<[string, 'set' | 'clique', Partial<Actor>, boolean]>([
    ['as it was asked for', 'set', { lastReconcileId: 'r1' }, false],
    ['of an actor that says all, asked for last', 'clique', { lastReconcileId: 'r1' }, false],
    ['of an actor that says all, and has left it out', 'clique', { lastReconcileId: 'r2' }, true],
    ['of an actor that says all, and began anew', 'clique', { lastReconcileId: undefined }, false],
    ['of an actor that says what changed', 'set', { lastReconcileId: 'r2' }, false],
    ['of another generation', 'set', { lastReconcileId: 'r1', generation: 5 }, true],
    ['of another generation, unasked since', 'clique', { generation: 5 }, true],
    ['of an actor that is parked', 'clique', { mode: 'parked', generation: 5 }, false],
  ])('%s is out of date or not', (_what, kind, change, isOut) => {
    const actor = kind === 'set' ? setActor() : cliqueActor('demo-0');
    Object.assign(actor, { mode: 'alive', generation: 4 });
    const work = workOf(actor, create, asked);
    expect([work.generation, work.isDropped]).toEqual([4, false]);
    Object.assign(actor, change);
    expect(isOutdated(work)).toBe(isOut);
  });

  it.each<[string, 'set' | 'clique', WriteIntent, string | undefined, boolean]>([
    ['a patch of what is as it was', 'set', patch, '7', false],
    ['a patch of what was seen anew', 'set', patch, '6', true],
    ['a patch of what was not known', 'set', patch, undefined, true],
    ['a delete of what was seen anew', 'set', remove, '6', true],
    ['a create of what was seen anew', 'set', create, '6', false],
    ['a status of what is as it was', 'set', status, '7', false],
    ['a status of what was seen anew', 'set', status, '6', true],
    ['a status of an actor that says all', 'clique', status, '6', true],
    ['a patch of an actor that says all', 'clique', patch, '6', false],
  ])('is overtaken by news or not: %s', (_what, kind, intent, version, isOver) => {
    const actor = kind === 'set' ? setActor() : cliqueActor('demo-0');
    const work = workOf(actor, intent, { ...asked, version });
    expect(isOvertakenByNews(work, knownOf())).toBe(isOver);
  });

  it('of what went meanwhile is overtaken by that news', () => {
    expect(isOvertakenByNews(workOf(setActor(), patch, asked), undefined)).toBe(true);
    const unknown = workOf(setActor(), patch, { ...asked, version: undefined });
    expect(isOvertakenByNews(unknown, undefined)).toBe(false);
    expect(isOvertakenByNews(workOf(setActor(), status, asked), undefined)).toBe(false);
  });
});

describe('The request for a create', () => {
  it('is the whole object', () => {
    expect(requestOf(create, undefined)).toEqual({ op: 'create', ref, body: create.body });
  });
});

describe('The request for a patch', () => {
  it.each<[string, object, object]>([
    ['its UID', {}, { uid: 'u' }],
    ['its UID and version', { resourceVersion: '9' }, { uid: 'u', resourceVersion: '9' }],
    [
      'its UID beside what it changes',
      { patch: { spec: { a: 1 }, metadata: { labels: { b: 'c' }, uid: 'wrong' } } },
      { labels: { b: 'c' }, uid: 'u' },
    ],
  ])('names %s', (_what, more, metadata) => {
    expect(requestOf({ ...patch, ...more }, undefined)).toEqual({
      ...{ op: 'patch', ref },
      patch: { spec: { a: 1 }, metadata },
    });
  });
});

describe('The request for a deletion', () => {
  it('names the UID, and nothing that was not asked for', () => {
    expect(requestOf(remove, undefined)).toEqual({ op: 'delete', ref, uid: 'u' });
  });

  it.each([
    { resourceVersion: '7' },
    { propagation: 'Foreground' },
    { gracePeriodSeconds: 0 },
    { resourceVersion: '7', propagation: 'Foreground', gracePeriodSeconds: 0 },
  ] as const)('hands on %j', (more) => {
    const request = requestOf({ ...remove, ...more }, undefined);
    expect(request).toEqual({ op: 'delete', ref, uid: 'u', ...more });
  });
});

describe('The request for a status', () => {
  const body = {
    ...{ apiVersion: 'grove.io/v1alpha1', kind: 'PodClique' },
    metadata: { ...meta, uid: 'u', resourceVersion: '7' },
    status: { ready: 1 },
  };
  it.each<[string, Known | undefined, object | undefined]>([
    ['where it has none', knownOf(), body],
    ['where it has another', knownOf({ status: { ready: 0 } }), body],
    ['not where it says so already', knownOf({ status: { ready: 1 } }), undefined],
    ['not where its object is unknown', undefined, undefined],
  ])('names UID and version: %s', (_what, known, expected) => {
    const request = expected && { op: 'status', ref, body: expected };
    expect(requestOf(status, known)).toEqual(request);
  });

  it('is none where another object has the name', () => {
    expect(requestOf({ ...status, uid: 'another' }, knownOf())).toBeUndefined();
  });

  it('is none where an empty status is to be written over none', () => {
    expect(isWritten({ ...status, status: {} }, knownOf())).toBe(true);
    expect(isWritten(status, knownOf())).toBe(false);
  });
});
