// The scripted life of a pod on its node, asked for at single moments.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { durationOf, scriptOf } from '#src/devcluster/controllers/kubelet/script.ts';
import { phaseOf, podStatus } from '#src/devcluster/controllers/kubelet/status.ts';
import { podView } from '#src/devcluster/controllers/kubelet/timeline.ts';
import type { InitEnd } from '#src/devcluster/controllers/kubelet/timeline.ts';
import { withDefaults } from '#src/devcluster/controllers/options.ts';

const settings = withDefaults({ startMs: 100, startJitterMs: 0, initContainerMs: 50 });
const boundAt = 1_000_000;
const place = { podIP: '10.244.0.1', hostIP: '172.18.0.2', boundAt };

const pod = (spec: JsonObject = {}, annotations: JsonObject = {}): Stored => ({
  metadata: { name: 'web', namespace: 'default', uid: 'u', annotations },
  spec: { containers: [{ name: 'main', image: 'i' }], restartPolicy: 'Always', ...spec },
});

function at(ms: number, object: Stored, initEnd: InitEnd = () => undefined) {
  const now = boundAt + ms;
  const view = podView(object, scriptOf(object, settings), boundAt, now, initEnd);
  const status = podStatus(object, view, place, now);
  const ready = objectsAt(status, 'conditions').find((each) => each['type'] === 'Ready');
  const policy = textAt(objectAt(object, 'spec'), 'restartPolicy');
  return {
    phase: phaseOf(view, policy),
    ready: ready?.['status'] === 'True',
    nextMs: view.nextAt - boundAt,
    containers: objectsAt(status, 'containerStatuses'),
    init: objectsAt(status, 'initContainerStatuses'),
  };
}

describe('the life of a pod on its node', () => {
  test('a pod is pending until its containers start, then ready at once', () => {
    expect(at(0, pod())).toMatchObject({ phase: 'Pending', ready: false, nextMs: 100 });
    expect(at(100, pod())).toMatchObject({ phase: 'Running', ready: true, nextMs: Infinity });
  });

  test('init containers run one after the other', () => {
    const two = pod({ initContainers: [{ name: 'a' }, { name: 'b' }] });
    expect(at(100, two)).toMatchObject({ phase: 'Pending', nextMs: 150 });
    expect(at(150, two).init).toMatchObject([
      { state: { terminated: { exitCode: 0 } }, ready: true },
      { state: { running: {} }, ready: false },
    ]);
    expect(at(200, two)).toMatchObject({ phase: 'Running', ready: true });
  });

  test('an init container that waits for others holds the pod', () => {
    const waiting = pod({ initContainers: [{ name: 'wait' }] });
    expect(at(500, waiting, () => ({ at: undefined }))).toMatchObject({
      phase: 'Pending',
      nextMs: Infinity,
    });
    expect(at(500, waiting, () => ({ at: boundAt + 400 }))).toMatchObject({ phase: 'Running' });
  });

  test('a sidecar keeps running beside the containers', () => {
    const sidecar = pod({ initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] });
    expect(at(100, sidecar)).toMatchObject({ phase: 'Running', ready: true });
    expect(at(100, sidecar).init).toMatchObject([{ state: { running: {} }, ready: true }]);
  });

  test('readiness can come later, or never', () => {
    const slow = pod({}, { 'dev.coppice/ready-after': '2s' });
    expect(at(100, slow)).toMatchObject({ phase: 'Running', ready: false, nextMs: 2100 });
    expect(at(2100, slow)).toMatchObject({ ready: true });
    const never = pod({}, { 'dev.coppice/ready-after': 'never' });
    expect(at(100, never)).toMatchObject({ ready: false, nextMs: Infinity });
  });

  test('readiness can be taken away', () => {
    expect(at(100, pod({}, { 'dev.coppice/ready': 'false' }))).toMatchObject({ ready: false });
  });

  test.each([
    ['Never', '0', 'Succeeded'],
    ['Never', '3', 'Failed'],
    ['OnFailure', '0', 'Succeeded'],
    ['OnFailure', '3', 'Running'],
    ['Always', '0', 'Running'],
  ])('a pod with policy %s that exits with %s is %s', (restartPolicy, code, phase) => {
    const script = { 'dev.coppice/run-for': '1s', 'dev.coppice/exit-code': code };
    expect(at(1100, pod({ restartPolicy }, script))).toMatchObject({ phase, ready: false });
  });

  test('a crashing container is restarted after growing pauses', () => {
    const crashing = pod({}, { 'dev.coppice/run-for': '1s', 'dev.coppice/exit-code': '1' });
    expect(at(1100, crashing).containers).toMatchObject([
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 0 },
    ]);
    expect(at(11_100, crashing)).toMatchObject({ ready: true, nextMs: 12_100 });
    expect(at(11_100, crashing).containers).toMatchObject([
      { restartCount: 1, lastState: { terminated: { exitCode: 1, reason: 'Error' } } },
    ]);
    expect(at(12_100, crashing)).toMatchObject({ nextMs: 32_100 });
  });

  test('one container of two can fail by itself', () => {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] };
    const failing = pod(spec, { 'dev.coppice/exit-code.b': '2' });
    expect(at(100, failing)).toMatchObject({ phase: 'Running', ready: false });
    expect(at(100, failing).containers).toMatchObject([
      { state: { running: {} } },
      { state: { terminated: { exitCode: 2 } } },
    ]);
  });

  test('a failing init container is tried again unless the policy is Never', () => {
    const annotations = { 'dev.coppice/exit-code.a': '1' };
    const initContainers = [{ name: 'a' }];
    expect(at(150, pod({ initContainers, restartPolicy: 'Never' }, annotations))).toMatchObject({
      phase: 'Failed',
    });
    const again = at(150, pod({ initContainers }, annotations));
    expect(again).toMatchObject({ phase: 'Pending', nextMs: 10_100 });
    expect(again.init).toMatchObject([{ lastState: { terminated: { exitCode: 1 } } }]);
  });

  test('a readiness gate keeps a pod from being ready', () => {
    const gates = pod({ readinessGates: [{ conditionType: 'a.io/ok' }] });
    expect(at(100, gates).ready).toBe(false);
    const open = { ...gates, status: { conditions: [{ type: 'a.io/ok', status: 'True' }] } };
    expect(at(100, open).ready).toBe(true);
  });

  test.each([
    ['500ms', 500],
    ['1m30s', 90_000],
    ['1.5s', 1500],
    ['5', undefined],
    ['never', undefined],
  ])('the duration %s is %d ms', (text, ms) => {
    expect(durationOf(text)).toBe(ms);
  });
});
