// The columns of pods, with the status word that kubectl shows: phase, then what the containers are
// waiting for or ended with, then deletion.
import type { PrinterColumn, Stored } from '../../contract.ts';
import { age } from '../human.ts';
import { isRecord, listAt, recordAt, textAt, valueAt } from '../record.ts';
import { ageColumn, column, nameColumn, none, text, wide } from './cells.ts';

interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string;
}

const conditionOf = (pod: Stored, type: string): unknown =>
  listAt(pod['status'], 'conditions').find((each) => textAt(each, 'type') === type);

const isTrue = (condition: unknown): boolean => textAt(condition, 'status') === 'True';

function summarise(pod: Stored): Summary {
  const status = recordAt(pod, 'status');
  const summary: Summary = {
    reason: textAt(status, 'reason') || textAt(status, 'phase'),
    ready: 0,
    total: listAt(pod['spec'], 'containers').length,
    restarts: 0,
    lastRestart: '',
  };
  if (textAt(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated') {
    summary.reason = 'SchedulingGated';
  }
  const initializing = readInitContainers(pod, summary);
  if (!initializing || isTrue(conditionOf(pod, 'Initialized'))) readContainers(pod, summary);
  const phase = textAt(status, 'phase');
  if (pod.metadata['deletionTimestamp'] !== undefined) {
    if (textAt(status, 'reason') === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

/** True while an init container has not done its work. */
function readInitContainers(pod: Stored, summary: Summary): boolean {
  const declared = listAt(pod['spec'], 'initContainers');
  const sidecars = new Set(
    declared
      .filter((each) => textAt(each, 'restartPolicy') === 'Always')
      .map((each) => textAt(each, 'name')),
  );
  summary.total += sidecars.size;
  let sidecarRestarts = 0;
  for (const [index, container] of listAt(pod['status'], 'initContainerStatuses').entries()) {
    countRestarts(container, summary);
    const isSidecar = sidecars.has(textAt(container, 'name'));
    if (isSidecar) sidecarRestarts += restartsOf(container);
    const terminated = valueAt(container, 'state', 'terminated');
    if (isRecord(terminated) && terminated['exitCode'] === 0) continue;
    if (isSidecar && valueAt(container, 'started') === true) {
      if (valueAt(container, 'ready') === true) summary.ready += 1;
      continue;
    }
    const waiting = textAt(valueAt(container, 'state', 'waiting'), 'reason');
    if (isRecord(terminated)) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${index}/${declared.length}`;
    return true;
  }
  summary.restarts = sidecarRestarts;
  return false;
}

const restartsOf = (container: unknown): number => {
  const restarts = valueAt(container, 'restartCount');
  return typeof restarts === 'number' ? restarts : 0;
};

function countRestarts(container: unknown, summary: Summary): void {
  summary.restarts += restartsOf(container);
  const ended = textAt(valueAt(container, 'lastState', 'terminated'), 'finishedAt');
  if (ended > summary.lastRestart) summary.lastRestart = ended;
}

function endOf(terminated: Record<string, unknown>): string {
  const { reason, signal, exitCode } = terminated;
  if (typeof reason === 'string' && reason !== '') return reason;
  return typeof signal === 'number' && signal !== 0
    ? `Signal:${signal}`
    : `ExitCode:${String(exitCode ?? 0)}`;
}

function readContainers(pod: Stored, summary: Summary): void {
  let running = false;
  for (const container of listAt(pod['status'], 'containerStatuses').toReversed()) {
    countRestarts(container, summary);
    const waiting = textAt(valueAt(container, 'state', 'waiting'), 'reason');
    const terminated = valueAt(container, 'state', 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (isRecord(terminated)) summary.reason = endOf(terminated);
    else if (valueAt(container, 'ready') === true && valueAt(container, 'state', 'running')) {
      running = true;
      summary.ready += 1;
    }
  }
  if (summary.reason === 'Completed' && running) {
    summary.reason = isTrue(conditionOf(pod, 'Ready')) ? 'Running' : 'NotReady';
  }
}

function printRestarts(pod: Stored, now: number): string {
  const { restarts, lastRestart } = summarise(pod);
  return restarts > 0 && lastRestart !== ''
    ? `${restarts} (${age(lastRestart, now)} ago)`
    : String(restarts);
}

function printReadinessGates(pod: Stored): string {
  const gates = listAt(pod['spec'], 'readinessGates');
  if (gates.length === 0) return none;
  const passed = gates.filter((gate) => isTrue(conditionOf(pod, textAt(gate, 'conditionType'))));
  return `${passed.length}/${gates.length}`;
}

export const podColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Ready', (pod) => {
    const { ready, total } = summarise(pod);
    return `${ready}/${total}`;
  }),
  column('Status', (pod) => summarise(pod).reason),
  column('Restarts', printRestarts),
  ageColumn,
  wide('IP', (pod) => {
    const first = textAt(listAt(pod['status'], 'podIPs')[0], 'ip');
    return first || textAt(pod['status'], 'podIP') || none;
  }),
  wide('Node', text(['spec', 'nodeName'], none)),
  wide('Nominated Node', text(['status', 'nominatedNodeName'], none)),
  wide('Readiness Gates', printReadinessGates),
];
