// The status of a PodClique against the algorithms of spec controllers 2.1, recomputed here from
// the raw pods in the most literal way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podClique } from '#machines/grove/podclique/behaviour.ts';
import { urgencyOf } from '#machines/grove/podclique/status.ts';
import { conditionStatus, conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { planOf, statusOf } from '#test/support/plan-of.ts';
import { anyPods, clique, contextOf, pod, podObject } from './sample.ts';

const now = Date.UTC(2026, 0, 1);

const has = (one: KubeObject, type: string, status: string, reason?: string): boolean =>
  list(at(one, 'status', 'conditions')).some(
    (c) =>
      at(c, 'type') === type &&
      at(c, 'status') === status &&
      (reason === undefined || at(c, 'reason') === reason),
  );

const exits = (one: KubeObject, field: string): boolean =>
  list(at(one, 'status', field)).some((c) => {
    const code = at(c, 'lastState', 'terminated', 'exitCode');
    return code !== undefined && code !== 0;
  });

function literal(pods: readonly KubeObject[], minAvailable: number) {
  const ready = pods.filter((one) => has(one, 'Ready', 'True'));
  const scheduled = pods.filter((one) => has(one, 'PodScheduled', 'True'));
  const rest = pods.filter((one) => !ready.includes(one));
  const errored = rest.filter(
    (one) => exits(one, 'initContainerStatuses') || exits(one, 'containerStatuses'),
  );
  const started = rest
    .filter((one) => !errored.includes(one))
    .filter((one) =>
      list(at(one, 'status', 'containerStatuses')).some(
        (c) => at(c, 'started') === true && at(c, 'ready') === false,
      ),
    );
  const good = scheduled.length - errored.length - started.length;
  const breached = scheduled.length < minAvailable || good < minAvailable;
  return {
    replicas: pods.filter((one) => one.metadata.deletionTimestamp === undefined).length,
    readyReplicas: ready.length,
    scheduledReplicas: scheduled.length,
    scheduleGatedReplicas: pods.filter((one) =>
      has(one, 'PodScheduled', 'False', 'SchedulingGated'),
    ).length,
    updatedReplicas: pods.filter(
      (one) => one.metadata.labels?.['grove.io/pod-template-hash'] === 'new',
    ).length,
    breached: breached ? 'True' : 'False',
    scheduled: scheduled.length < minAvailable ? 'False' : 'True',
  };
}

describe('the status of a PodClique', () => {
  it('counts and judges pods as the algorithms say', () => {
    fc.assert(
      fc.property(anyPods(), fc.integer({ min: 1, max: 4 }), (states, minAvailable) => {
        const observed = clique({ minAvailable });
        const status = statusOf(podClique, contextOf(observed, states.map(pod)), now);
        // Those that the same reconcile dooms are gone for all purposes but their names.
        const { changes } = planOf(podClique, contextOf(observed, states.map(pod)), now);
        const { breached, scheduled, ...all } = literal(states.map(podObject), minAvailable);
        const counters = { ...all, replicas: all.replicas - (changes.podsToDelete?.size ?? 0) };
        expect(status).toMatchObject(counters);
        const conditions = conditionsOf(status);
        expect(conditionStatus(conditions, 'MinAvailableBreached')).toBe(breached);
        expect(conditionStatus(conditions, 'PodCliqueScheduled')).toBe(scheduled);
        const isOld = ({ metadata: { uid, deletionTimestamp, labels } }: KubeObject): boolean =>
          deletionTimestamp === undefined &&
          labels?.['grove.io/pod-template-hash'] !== 'new' &&
          changes.podsToDelete?.has(uid ?? '') !== true;
        // New pods that are going count as updated, and not as replicas.
        const isCurrent =
          counters.updatedReplicas === counters.replicas ||
          (counters.updatedReplicas > counters.replicas && !states.map(podObject).some(isOld));
        expect(status['currentPodTemplateHash']).toBe(isCurrent ? 'new' : undefined);
        expect(status['currentPodCliqueSetGenerationHash']).toBe(isCurrent ? 'gen' : undefined);
      }),
    );
  });

  it('computed again from itself is the same, at any later time while no pod is stuck', () => {
    fc.assert(
      fc.property(anyPods(), (all) => {
        const states = all.map((one) => ({ ...one, deleting: false }));
        const observed = clique();
        const first = statusOf(podClique, contextOf(observed, states.map(pod)), now);
        const later = clique({}, { status: first });
        expect(statusOf(podClique, contextOf(later, states.map(pod)), now + 3_600_000)).toEqual(
          first,
        );
        expect(urgencyOf(later, first)).toBe('lazy');
      }),
    );
  });

  it('keeps unknown fields and foreign conditions, and takes Parked away', () => {
    const status: JsonObject = {
      unknown: { a: 1 },
      updateProgress: {
        updateEndedAt: 'x',
        podTemplateHash: 'new',
        podCliqueSetGenerationHash: 'g',
        later: 1,
      },
      conditions: [
        { type: 'Foreign', status: 'True' },
        { type: 'Parked', status: 'True' },
      ],
    };
    const observed = clique({}, { status });
    const next = statusOf(podClique, contextOf(observed, []), now);
    expect(next).toMatchObject({ unknown: { a: 1 }, updateProgress: { later: 1 } });
    expect(conditionsOf(next).map((one) => one['type'])).toEqual([
      'Foreign',
      'PodCliqueScheduled',
      'MinAvailableBreached',
      'Ready',
    ]);
  });

  it('judges updated pods by the label of its template where no update is recorded (10.1 rule 38)', () => {
    const stale = { currentPodTemplateHash: 'older', currentPodCliqueSetGenerationHash: 'older' };
    const observed = clique({}, { status: stale });
    const pods = ['a', 'b'].map((name, index) => pod({ name, index }));
    expect(statusOf(podClique, contextOf(observed, pods), now)).toMatchObject({
      updatedReplicas: 2,
      currentPodTemplateHash: 'new',
      currentPodCliqueSetGenerationHash: 'gen',
    });
  });

  it('has none of the conditions of Grove before a generation was observed', () => {
    const observed = clique({ podSpec: { schedulerName: 'nobody' } });
    const next = statusOf(podClique, contextOf(observed, []), now);
    expect(next['observedGeneration']).toBeUndefined();
    expect(next['conditions']).toMatchObject([{ type: 'Ready', reason: 'ReconcileFailed' }]);
    expect(list(next['lastErrors']).filter(isObject)[0]?.['code']).toBe('ERR_BUILD_POD_RESOURCE');
  });

  it('publishes a scale selector for standalone cliques and none for members of a group (10.1 rule 46)', () => {
    const observed = clique();
    expect(statusOf(podClique, contextOf(observed, []), now)['hpaPodSelector']).toBe(
      'app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=demo,grove.io/podclique=demo-0-worker',
    );
    const labels = { ...observed.labels, 'grove.io/podcliquescalinggroup': 'demo-0-x' };
    const member = clique({}, { metadata: { labels } });
    expect(statusOf(podClique, contextOf(member, []), now)['hpaPodSelector']).toBeUndefined();
  });

  it('is urgent when availability crosses, lazy for mere progress', () => {
    const ready = {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'PodScheduled', status: 'True' },
      ],
    };
    const two = ['a', 'b'].map((name, index) => pod({ name, index, status: ready }));
    const born = clique();
    const first = statusOf(podClique, contextOf(born, []), now);
    expect(urgencyOf(born, first)).toBe('lazy');
    const observed = clique({}, { status: first });
    expect(
      urgencyOf(observed, statusOf(podClique, contextOf(observed, two.slice(0, 1)), now)),
    ).toBe('lazy');
    const available = statusOf(podClique, contextOf(observed, two), now);
    expect(urgencyOf(observed, available)).toBe('now');
    const well = clique({}, { status: available });
    expect(urgencyOf(well, statusOf(podClique, contextOf(well, two.slice(1)), now))).toBe('now');
  });

  it('comes first where an update goes on, and misses no pod that this replaces', () => {
    const chosen = (current: string, completed: readonly string[] = []): JsonObject => ({
      updateStartedAt: 'x',
      podTemplateHash: 'new',
      podCliqueSetGenerationHash: 'gen',
      readyPodsSelectedToUpdate: { current, completed: [...completed] },
    });
    const urgency = (before: JsonObject, after: JsonObject) =>
      urgencyOf(clique({}, { status: before }), after);
    const first = { readyReplicas: 2, updateProgress: chosen('a') };
    expect(urgency({ readyReplicas: 2 }, first)).toBe('first');
    expect(urgency(first, { ...first, readyReplicas: 1 })).toBe('lazy');
    expect(urgency(first, { ...first, readyReplicas: 0 })).toBe('now');
    expect(urgency(first, { ...first, updateProgress: chosen('b', ['a']) })).toBe('first');
    const over = { updateStartedAt: 'x', updateEndedAt: 'y' };
    expect(urgency(first, { ...first, updateProgress: over })).toBe('first');
    // Where nobody waits, as the pods are replaced when somebody deletes them.
    expect(urgency({ readyReplicas: 2 }, { ...first, updateProgress: over })).toBe('now');
    const ended = { ...first, updateProgress: over };
    expect(urgency(ended, { ...ended, readyReplicas: 1 })).toBe('now');
  });
});
