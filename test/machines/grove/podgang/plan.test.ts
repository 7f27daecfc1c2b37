// The plan of a PodGang: listing the pods that its PodCliques want, saying when it is complete.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '#machines/contract/intents.ts';
import { readGang } from '#machines/grove/objects/podgang.ts';
import { podGang } from '#machines/grove/podgang/behaviour.ts';
import { gangReads, reduce, startContext } from '#machines/grove/podgang/context.ts';
import type { GangContext } from '#machines/grove/podgang/context.ts';
import { conditionsOf, conditionStatus } from '#machines/kubernetes/conditions.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { planOf, whyOf } from '#test/support/plan-of.ts';
import { settings } from '#test/support/world.ts';

const now = Date.UTC(2026, 0, 1);
const key = { kind: 'podgang', namespace: 'demo', name: 'demo-0' } as const;

const group = (name: string, pods: readonly string[], more: JsonObject = {}): JsonObject => ({
  name,
  minReplicas: 1,
  podReferences: pods.map((pod) => ({ namespace: 'demo', name: pod })),
  ...more,
});

function gang(podgroups: Json[], status?: JsonObject, version = '1'): GangContext {
  return observe(startContext({ key, root: key, settings }), podgroups, status, version);
}

function observe(
  context: GangContext,
  podgroups: Json[],
  status: JsonObject | undefined,
  version: string,
): GangContext {
  const observed = readGang({
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name: 'demo-0', namespace: 'demo', uid: 'gang', resourceVersion: version },
    spec: { podgroups },
    ...(status === undefined ? {} : { status }),
  });
  if (isMalformed(observed)) throw new Error(observed.malformed);
  return reduce(context, { type: 'gang.observed', observed });
}

const say = (
  context: GangContext,
  clique: string,
  names: string[],
  missing = 0,
  isRunning = false,
): GangContext =>
  reduce(context, {
    type: 'wantedPods.read',
    key: `demo/${clique}`,
    value: { gang: 'gang', names: names.toSorted(), missing, isRunning },
  });

const running = (context: GangContext, clique: string, names: string[]): GangContext =>
  say(context, clique, names, 0, true);

const find = <T extends Intent['type']>(type: T, context: GangContext) =>
  planOf(podGang, context, now).intents.filter(
    (intent): intent is Extract<Intent, { type: T }> => intent.type === type,
  );

describe('a PodGang', () => {
  it('reads which pods its PodCliques want, what its set wants, and who builds on it', () => {
    const context = gang([group('a', []), group('b', [])]);
    const readings = (dependents: number) =>
      context.gang === undefined
        ? []
        : gangReads({ ...context, dependents }, context.gang).map(({ view, key: of }) => [
            view.name,
            of,
          ]);
    expect(readings(0)).toEqual([
      ['wantedPods', 'demo/a'],
      ['wantedPods', 'demo/b'],
      ['gangTemplate', 'demo/demo-0'],
      ['gangDependents', 'demo/demo-0'],
      ['reconcileTrigger', 'demo/demo-0'],
    ]);
    expect(readings(2)).toContainEqual(['gangScheduling', 'demo/demo-0']);
  });

  it('lists the pods wanted and keeps what it does not know', () => {
    const start = gang([group('a', ['x'], { topologyConstraint: { p: 1 } }), group('b', ['k'])]);
    const [patch] = find('patchObject', say(start, 'a', ['z', 'y']));
    expect(patch).toMatchObject({ uid: 'gang', resourceVersion: '1' });
    expect(at(patch?.patch, 'spec', 'podgroups')).toEqual([
      group('a', ['y', 'z'], { topologyConstraint: { p: 1 } }),
      group('b', ['k']),
    ]);
    expect(find('patchObject', say(start, 'a', ['x']))).toEqual([]);
  });

  it('lists no pods of a PodClique that takes another PodGang for its own', () => {
    const start = gang([group('a', [])]);
    const other = { gang: 'another', names: ['x'], missing: 0, isRunning: true };
    const context = reduce(start, { type: 'wantedPods.read', key: 'demo/a', value: other });
    expect(find('patchObject', context)).toEqual([]);
    expect(find('writeStatus', context)).toEqual([]);
    expect(whyOf(podGang, context, now)).toEqual([
      'PodClique a does not say yet which pods it wants; is it there?',
    ]);
  });

  it('is initialized once, when all pods exist and are listed, and never before (10.1 rule 20)', () => {
    const start = gang([group('a', ['x']), group('b', ['k'])]);
    expect(find('writeStatus', say(start, 'a', ['x']))).toEqual([]);
    expect(find('writeStatus', say(say(start, 'a', ['x']), 'b', ['k'], 1))).toEqual([]);
    expect(find('writeStatus', say(say(start, 'a', ['x']), 'b', ['k', 'l']))).toEqual([]);
    const [write] = find('writeStatus', say(say(start, 'a', ['x']), 'b', ['k']));
    expect(write?.status).toEqual({
      phase: 'Pending',
      conditions: [
        {
          type: 'Initialized',
          status: 'True',
          reason: 'PodGangPodsCreated',
          message: 'PodGang is fully initialized',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  });

  it('keeps the conditions and fields of others, and never goes back (10.2 gap 15)', () => {
    const status = {
      phase: 'Running',
      placementScore: 0.5,
      conditions: [
        { type: 'Scheduled', status: 'True' },
        { type: 'Parked', status: 'True' },
      ],
    };
    const start = say(gang([group('a', ['x'])], status), 'a', ['x']);
    const [write] = find('writeStatus', start);
    expect(write?.status).toMatchObject({ phase: 'Running', placementScore: 0.5 });
    expect(conditionsOf(write?.status).map((one) => one['type'])).toEqual([
      'Scheduled',
      'Initialized',
    ]);
    const later = observe(start, [group('a', ['x'])], write?.status, '2');
    const [again] = find('writeStatus', say(later, 'a', ['x', 'y'], 1));
    expect(again?.status).toEqual(write?.status);
    expect(conditionStatus(conditionsOf(again?.status), 'Initialized')).toBe('True');
  });

  it('is Running by a lazy write once the minimum of all its PodCliques runs, and stays so', () => {
    const groups = [group('a', ['x']), group('b', ['k'])];
    const [write] = find('writeStatus', say(say(gang(groups), 'a', ['x']), 'b', ['k']));
    const initialized = gang(groups, write?.status);
    const half = running(say(initialized, 'b', ['k']), 'a', ['x']);
    expect(find('writeStatus', half)[0]?.status).toEqual(write?.status);
    const [last] = find('writeStatus', running(half, 'b', ['k']));
    expect(last).toMatchObject({ urgency: 'lazy', status: { ...write?.status, phase: 'Running' } });
    const lost = say(gang(groups, last?.status), 'a', ['x'], 1);
    expect(find('writeStatus', lost)[0]?.status).toEqual(last?.status);
  });

  it.each(['Starting', 'Failed', 'Succeeded', 'Running'])(
    'keeps the phase %s of a scheduler',
    (phase) => {
      const start = gang([group('a', ['x'])], { phase });
      const [write] = find('writeStatus', running(start, 'a', ['x']));
      expect(write?.status).toMatchObject({ phase, conditions: [{ type: 'Initialized' }] });
      const later = gang([group('a', ['x'])], write?.status);
      expect(find('writeStatus', running(later, 'a', ['x']))[0]?.status).toEqual(write?.status);
    },
  );

  it('wants nothing more once what it wants is done, for any reports', () => {
    const names = fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's'), { maxLength: 4 });
    fc.assert(
      fc.property(names, names, names, (listed, a, b) => {
        let context = say(say(gang([group('a', listed), group('b', listed)]), 'a', a), 'b', b);
        let version = 2;
        for (let round = 0; round < 3; round++) {
          const { intents, changes } = planOf(podGang, context, now);
          context = { ...context, ...changes };
          const patch = intents.find((intent) => intent.type === 'patchObject');
          const write = intents.find((intent) => intent.type === 'writeStatus');
          const groups =
            patch?.type === 'patchObject'
              ? at(patch.patch, 'spec', 'podgroups')
              : context.gang?.groups.map((one) => one.raw);
          const status = write?.type === 'writeStatus' ? write.status : context.gang?.status;
          context = observe(context, [...list(groups)].map(Object), status, String(version++));
        }
        expect(planOf(podGang, context, now).intents.map(({ type }) => type)).toEqual([
          'publish',
          'writeStatus',
        ]);
        expect(context.gang?.isInitialized).toBe(true);
        expect(context.gang?.groups[0]?.pods).toEqual(new Set(a));
      }),
    );
  });

  it('says why it is not initialized', () => {
    const start = gang([group('a', []), group('b', [])]);
    expect(whyOf(podGang, say(start, 'a', ['x'], 1), now)).toEqual([
      'PodClique b does not say yet which pods it wants; is it there?',
      '1 of 1 pods of PodClique a are not there yet',
    ]);
  });
});
