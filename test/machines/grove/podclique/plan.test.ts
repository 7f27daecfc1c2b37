// The phases of a PodClique's plan, one by one and together.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '#machines/contract/intents.ts';
import { firstNames } from '#machines/grove/objects/pod-names.ts';
import { podClique } from '#machines/grove/podclique/behaviour.ts';
import type { CliqueContext } from '#machines/grove/podclique/context.ts';
import { byFirstToGo } from '#machines/grove/podclique/steps/delete-pods.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { planOf } from '#test/support/plan-of.ts';
import { anyPods, clique, contextOf, gang, pod } from './sample.ts';

const now = Date.UTC(2026, 0, 1);
const names = firstNames('demo-0-worker', 'clique-uid', 3);
const running = {
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'PodScheduled', status: 'True' },
  ],
};

const of = <T extends Intent['type']>(type: T, intents: readonly Intent[]) =>
  intents.filter((intent): intent is Extract<Intent, { type: T }> => intent.type === type);

const created = (context: CliqueContext): readonly KubeObject[] =>
  of('createObject', planOf(podClique, context, now).intents).map((intent) => intent.body);

describe('creating pods', () => {
  it('waits until the PodGang lists them, then goes without a gate', () => {
    const observed = clique();
    expect(created(contextOf(observed, []))).toEqual([]);
    expect(created(contextOf(observed, [], { gang: gang([]) }))).toEqual([]);
    const some = created(contextOf(observed, [], { gang: gang(names.slice(0, 2)) }));
    expect(some.map((one) => one.metadata.name).toSorted()).toEqual(names.slice(0, 2));
    expect(some.every((one) => at(one, 'spec', 'schedulingGates') === undefined)).toBe(true);
  });

  it('ignores a PodGang of an earlier PodCliqueSet, and one that is going', () => {
    const observed = clique();
    const old = { ...gang(names), owner: { kind: 'PodCliqueSet', name: 'demo', uid: 'old' } };
    expect(created(contextOf(observed, [], { gang: old }))).toEqual([]);
    expect(created(contextOf(observed, [], { gang: { ...gang(names), deleting: true } }))).toEqual(
      [],
    );
  });

  it('gates the pods of a clique that waits for a base gang', () => {
    const labels = { ...clique().labels, 'grove.io/base-podgang': 'demo-0' };
    const observed = clique({}, { metadata: { labels } });
    const [first] = created(contextOf(observed, [], { gang: gang(names) }));
    expect(at(first, 'spec', 'schedulingGates')).toEqual([
      { name: 'grove.io/podgang-pending-creation' },
    ]);
  });

  it('takes another name when the first belongs to somebody else', () => {
    const observed = clique({ replicas: 1 });
    const [name = ''] = firstNames('demo-0-worker', 'clique-uid', 1);
    const step = planOf(podClique, contextOf(observed, [], { foreign: new Set([name]) }), now);
    expect(step.changes.chosen?.get(0)).not.toBe(name);
  });

  it('keeps a chosen name although a smaller incarnation becomes free', () => {
    const observed = clique({ replicas: 1 });
    const chosen = new Map([[0, 'demo-0-worker-zzzzz']]);
    const [body] = created(
      contextOf(observed, [], { chosen, gang: gang(['demo-0-worker-zzzzz']) }),
    );
    expect(body?.metadata.name).toBe('demo-0-worker-zzzzz');
  });
});

describe('scaling in', () => {
  it('follows the order of spec controllers 7.3 (10.1 rule 42)', () => {
    const going = [
      pod({ name: 'unassigned', index: 0 }),
      pod({ name: 'pending', index: 1, node: 'n', status: { phase: 'Pending' } }),
      pod({ name: 'unknown', index: 2, node: 'n', status: { phase: 'Unknown' } }),
      pod({ name: 'unready', index: 3, node: 'n', status: { phase: 'Running' } }),
      pod({ name: 'old-hash', index: 4, node: 'n', hash: 'old', status: running }),
      pod({ name: 'no-age', index: 5, node: 'n', status: running }),
      pod({
        name: 'young',
        index: 6,
        node: 'n',
        status: running,
        createdAt: '2026-01-01T00:02:00Z',
      }),
      pod({
        name: 'aged',
        index: 7,
        node: 'n',
        status: running,
        createdAt: '2026-01-01T00:01:00Z',
      }),
    ];
    const sorted = going.toReversed().toSorted(byFirstToGo(clique()));
    expect(sorted.map((one) => one.name)).toEqual(going.map((one) => one.name));
  });

  it('takes a pod that ended before all others, as another owner may have replaced it', () => {
    const ended = pod({ name: 'ended', node: 'n', status: { ...running, phase: 'Succeeded' } });
    const fresh = pod({ name: 'fresh', index: 1 });
    const observed = clique({ replicas: 1 });
    const failures = { times: 1, lastAt: now };
    const { changes } = planOf(podClique, contextOf(observed, [ended, fresh], { failures }), now);
    expect(changes.podsToDelete).toEqual(new Set(['uid-ended']));
  });

  it('replaces one that ended again after a pause, by whatever clock its node goes', () => {
    for (const finishedAt of ['1999-01-01T00:00:00Z', '2099-01-01T00:00:00Z']) {
      const containerStatuses = [{ name: 'c', state: { terminated: { exitCode: 1, finishedAt } } }];
      const status = { phase: 'Failed', containerStatuses };
      const createdAt = '2026-01-01T00:00:00Z';
      const again = pod({ name: 'again', status, createdAt, replacements: 1 });
      const created = Date.parse(createdAt);
      const { changes } = planOf(
        podClique,
        contextOf(clique({ replicas: 1 }), [again]),
        created + 1_000,
      );
      const at = changes.replaceAt?.get('uid-again') ?? 0;
      expect([created + 10_000, created + 11_000]).toContain(at);
    }
  });

  it('sorts consistently whatever the pods are', () => {
    fc.assert(
      fc.property(anyPods(8), fc.infiniteStream(fc.nat()), (states, noise) => {
        const pods = states.map(pod);
        const mixed = pods
          .map((one) => ({ one, key: Number(noise.next().value) }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const compare = byFirstToGo(clique());
        expect(mixed.toSorted(compare)).toEqual(pods.toSorted(compare));
      }),
    );
  });

  it('dooms exactly the excess, sticks to its choice, and never counts a leaving pod twice (10.1 rules 2, 5)', () => {
    fc.assert(
      fc.property(anyPods(8), fc.nat(8), (states, replicas) => {
        const observed = clique({ replicas });
        const context = contextOf(observed, states.map(pod));
        const { changes } = planOf(podClique, context, now);
        const podsToDelete = changes.podsToDelete ?? new Set();
        const live = states.filter((one) => one.deleting !== true).length;
        const ended = states.filter(
          (one) =>
            one.deleting !== true &&
            ['Succeeded', 'Failed'].includes(String(at(one.status, 'phase'))),
        ).length;
        expect(podsToDelete.size).toBe(Math.max(ended, live - replicas));
        const again = planOf(podClique, { ...context, ...changes }, now);
        expect(again.changes.podsToDelete).toBeUndefined();
        const deleted = of('deleteObject', again.intents).map((intent) => intent.uid);
        expect(new Set(deleted)).toEqual(new Set(podsToDelete));
      }),
    );
  });

  it('dooms the worse of two pods with one index, even without excess', () => {
    const twins = [
      pod({ name: 'good', index: 1, node: 'n', status: running }),
      pod({ name: 'bad', index: 1 }),
      pod({ name: 'other', index: 0, node: 'n', status: running }),
    ];
    const { changes } = planOf(podClique, contextOf(clique(), twins), now);
    expect(changes.podsToDelete).toEqual(new Set(['uid-bad']));
  });
});

describe('releasing gates', () => {
  const gates = [{ name: 'grove.io/podgang-pending-creation' }, { name: 'theirs' }];

  it('takes only our gate, only from listed pods, with the version seen (10.1 rule 22; 10.2 gap 16)', () => {
    const pods = [
      pod({ name: names[0] ?? '', index: 0, gates }),
      pod({ name: 'unlisted', index: 1, gates }),
    ];
    const status = { conditions: [{ type: 'Initialized', status: 'True' }] };
    const patchesOf = (more: JsonObject) =>
      of(
        'patchObject',
        planOf(podClique, contextOf(clique(), pods, { gang: gang(names, more) }), now).intents,
      );
    expect(patchesOf({})).toEqual([]);
    expect(patchesOf({ status })).toMatchObject([
      {
        ref: { name: names[0] },
        patch: { spec: { schedulingGates: [{ name: 'theirs' }] } },
        resourceVersion: '1',
      },
    ]);
  });
});

describe('the finalizer', () => {
  it('is put on if missing and taken off when deleting, foreign ones kept', () => {
    const bare = clique({}, { metadata: { finalizers: ['x'] } });
    expect(of('patchObject', planOf(podClique, contextOf(bare, []), now).intents)).toMatchObject([
      { patch: { metadata: { finalizers: ['x', 'grove.io/podclique.grove.io'] } } },
    ]);
    const going = clique(
      {},
      {
        metadata: {
          deletionTimestamp: 'now',
          finalizers: ['grove.io/podclique.grove.io', 'x'],
        },
      },
    );
    expect(planOf(podClique, contextOf(going, []), now).intents).toMatchObject([
      { type: 'publish', item: { names: [], missing: 1 } },
      { type: 'patchObject', patch: { metadata: { finalizers: ['x'] } }, resourceVersion: '1' },
    ]);
  });
});

describe('the whole plan', () => {
  it('made again after its choices were remembered says the same and chooses nothing new', () => {
    fc.assert(
      fc.property(anyPods(6), fc.nat(8), fc.boolean(), (states, replicas, isListed) => {
        const observed = clique({ replicas });
        const listed = firstNames('demo-0-worker', 'clique-uid', 8);
        const context = contextOf(
          observed,
          states.map(pod),
          isListed ? { gang: gang(listed) } : {},
        );
        const first = planOf(podClique, context, now);
        const second = planOf(podClique, { ...context, ...first.changes }, now);
        expect(second.changes).toEqual({});
        const writes = (intents: readonly Intent[]) =>
          intents.filter((intent) => !['decide', 'recordEvent'].includes(intent.type));
        expect(writes(second.intents)).toEqual(writes(first.intents));
        expect(of('recordEvent', second.intents)).toEqual([]);
      }),
    );
  });

  it('says to create a pod for every free index and none for a used one', () => {
    fc.assert(
      fc.property(anyPods(6), fc.nat(8), (states, replicas) => {
        const step = planOf(podClique, contextOf(clique({ replicas }), states.map(pod)), now);
        const podsToDelete = step.changes.podsToDelete ?? new Set();
        const live = states.map(pod).filter((one) => !one.deleting && !podsToDelete.has(one.uid));
        const chosen = step.changes.chosen ?? new Map<number, string>();
        expect(live.length + chosen.size).toBe(Math.max(live.length, replicas));
        for (const one of live) expect(chosen.has(one.index ?? -1)).toBe(false);
        const held = new Set(states.map((one) => one.name));
        for (const name of chosen.values()) expect(held.has(name)).toBe(false);
      }),
    );
  });

  it('refuses a clique beyond the limit instead of planning millions of names', () => {
    const context = contextOf(clique({ replicas: 2_000_000_000 }), []);
    const { intents, changes } = planOf(podClique, context, now);
    const [write] = of('writeStatus', intents);
    const [error] = list(write?.status['lastErrors']).filter(isObject);
    expect(error?.['description']).toContain('at most 2000 are handled');
    expect(changes.chosen).toBeUndefined();
  });
});
