// The status of a pod as its node agent reports it, from what the containers are doing. Pure.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { fraction } from './script.ts';
import type { ContainerView, PodView } from './timeline.ts';

export interface PodPlace {
  readonly podIP: string;
  readonly hostIP: string;
  readonly boundAt: number;
}

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export function phaseOf(view: PodView, policy: string): Phase {
  const all = [...view.init, ...view.containers];
  if (view.init.some((each) => each.state.is === 'ended' && each.state.code !== 0)) return 'Failed';
  if (!view.initialized) return 'Pending';
  if (view.containers.every((each) => each.state.is === 'ended')) {
    const failed = view.containers.some(
      (each) => each.state.is === 'ended' && each.state.code !== 0,
    );
    return failed && policy !== 'Always' ? 'Failed' : 'Succeeded';
  }
  const started = all.some((each) => each.state.is !== 'waiting' || each.last !== undefined);
  return started ? 'Running' : 'Pending';
}

/** The fields that a node agent owns. */
export function podStatus(pod: Stored, view: PodView, place: PodPlace, now: number): JsonObject {
  const spec = objectAt(pod, 'spec');
  const phase = phaseOf(view, textAt(spec, 'restartPolicy'));
  const status: JsonObject = {
    phase,
    conditions: conditionsOf(pod, view, phase, now),
    hostIP: place.hostIP,
    hostIPs: [{ ip: place.hostIP }],
    startTime: rfc3339(place.boundAt),
    containerStatuses: view.containers.map(containerStatus),
  };
  if (view.init.length > 0) status['initContainerStatuses'] = view.init.map(containerStatus);
  const hasNetwork = [...view.init, ...view.containers].some((each) => each.state.is !== 'waiting');
  if (hasNetwork) {
    const podIP = spec?.['hostNetwork'] === true ? place.hostIP : place.podIP;
    status['podIP'] = podIP;
    status['podIPs'] = [{ ip: podIP }];
  }
  return status;
}

function conditionsOf(pod: Stored, view: PodView, phase: Phase, now: number): JsonObject[] {
  const old = objectsAt(objectAt(pod, 'status'), 'conditions');
  const over = phase === 'Succeeded' || phase === 'Failed';
  const unready = view.containers.filter((each) => !each.ready);
  const uninitialised = view.init.filter((each) => !each.ready);
  const names = (views: readonly ContainerView[]): string =>
    views.map((each) => textAt(each.container, 'name')).join(' ');
  const containersReady: Verdict = over
    ? [false, phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed']
    : [
        unready.length === 0,
        'ContainersNotReady',
        `containers with unready status: [${names(unready)}]`,
      ];
  const verdicts: Record<string, Verdict> = {
    Initialized: [
      view.initialized || over,
      'ContainersNotInitialized',
      `containers with incomplete status: [${names(uninitialised)}]`,
    ],
    Ready: gatedReadiness(pod, containersReady, old),
    ContainersReady: containersReady,
    PodScheduled: [true],
  };
  return Object.entries(verdicts).map(([type, verdict]) => condition(type, verdict, old, now));
}

/** Whether, and if not the reason and the message. */
type Verdict = readonly [boolean, string?, string?];

/** Readiness gates are conditions that others set. */
function gatedReadiness(pod: Stored, ready: Verdict, old: readonly JsonObject[]): Verdict {
  if (!ready[0]) return ready;
  const gates = objectsAt(objectAt(pod, 'spec'), 'readinessGates');
  const closed = gates
    .map((gate) => textAt(gate, 'conditionType'))
    .filter((type) => !old.some((each) => each['type'] === type && each['status'] === 'True'));
  if (closed.length === 0) return ready;
  const first = closed[0] ?? '';
  const message = `corresponding condition of pod readiness gate "${first}" does not exist.`;
  return [false, 'ReadinessGatesNotReady', message];
}

function condition(
  type: string,
  [holds, reason, message]: Verdict,
  old: readonly JsonObject[],
  now: number,
): JsonObject {
  const status = holds ? 'True' : 'False';
  const before = old.find((each) => each['type'] === type);
  const kept = before?.['status'] === status ? before['lastTransitionTime'] : undefined;
  return {
    type,
    status,
    // A null removes what a former verdict left in the merged condition.
    reason: holds ? null : (reason ?? null),
    message: holds ? null : (message ?? null),
    lastProbeTime: null,
    lastTransitionTime: kept ?? rfc3339(now),
  };
}

function containerStatus(view: ContainerView): JsonObject {
  const { container, state } = view;
  const image = textAt(container, 'image');
  const name = textAt(container, 'name');
  const status: JsonObject = {
    name,
    image,
    imageID: state.is === 'waiting' && view.last === undefined ? '' : imageId(image),
    state: stateOf(view),
    lastState: view.last === undefined ? {} : { terminated: ended(view.last) },
    ready: view.ready,
    started: state.is === 'running',
    restartCount: view.restarts,
  };
  if (state.is !== 'waiting') status['containerID'] = `sim://${hex(name + image, 16)}`;
  return status;
}

function stateOf({ state, container }: ContainerView): JsonObject {
  if (state.is === 'running') return { running: { startedAt: rfc3339(state.since) } };
  if (state.is === 'ended') return { terminated: ended(state) };
  const waiting: JsonObject = { reason: state.reason };
  if (state.reason === 'CrashLoopBackOff') {
    waiting['message'] = `back-off restarting failed container=${textAt(container, 'name')}`;
  }
  return { waiting };
}

function ended(run: { since: number; at: number; code: number }): JsonObject {
  return {
    exitCode: run.code,
    reason: run.code === 0 ? 'Completed' : 'Error',
    startedAt: rfc3339(run.since),
    finishedAt: rfc3339(run.at),
  };
}

const imageId = (image: string): string => `sim.coppice.dev/${hex(image, 16)}`;

function hex(text: string, digits: number): string {
  let out = '';
  while (out.length < digits) {
    out += Math.floor(fraction(text + out) * 0x100000000)
      .toString(16)
      .padStart(8, '0');
  }
  return out.slice(0, digits);
}

/** What makes two statuses different for their readers: everything but times. */
export function skeleton(status: JsonObject | undefined): string {
  const containers = [
    ...objectsAt(status, 'initContainerStatuses'),
    ...objectsAt(status, 'containerStatuses'),
  ].map((each): Json[] => {
    const state = objectAt(each, 'state') ?? {};
    const kind = Object.keys(state)[0] ?? '';
    const reason = textAt(objectAt(state, kind), 'reason');
    const image = textAt(each, 'image');
    return [
      textAt(each, 'name'),
      image,
      kind,
      reason,
      each['ready'] === true,
      each['restartCount'] ?? 0,
    ];
  });
  const owned = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  const conditions = objectsAt(status, 'conditions')
    .filter((each) => owned.includes(textAt(each, 'type')))
    .map((each) => `${textAt(each, 'type')}=${textAt(each, 'status')}/${textAt(each, 'reason')}`)
    .toSorted();
  return JSON.stringify([textAt(status, 'phase'), containers, conditions]);
}
