// What the API server decides about a new pod: its first status, its quality of service class, and
// what the built-in admission adds that needs no look at another object.
import {
  ensureObject,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { quantityOf } from '../quantity.ts';

/** Status as for a pod that nobody has looked at; overrides whatever the client sent. */
export function prepareNewPod(pod: Stored): void {
  const spec = ensureObject(pod, 'spec');
  admitSpec(spec);
  const status: JsonObject = { phase: 'Pending', qosClass: qosClass(spec) };
  if (objectsAt(spec, 'schedulingGates').length > 0) status['conditions'] = [gatedCondition()];
  pod['status'] = status;
}

const gatedCondition = (): JsonObject => ({
  lastProbeTime: null,
  lastTransitionTime: null,
  message: 'Scheduling is blocked due to non-empty scheduling gates',
  reason: 'SchedulingGated',
  status: 'False',
  type: 'PodScheduled',
});

/** Values of the two classes that every cluster has. */
const systemPriorities: Record<string, number> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Admission plugins ServiceAccount, Priority and DefaultTolerationSeconds. */
function admitSpec(spec: JsonObject): void {
  if (textAt(spec, 'serviceAccountName') === '') {
    spec['serviceAccountName'] = 'default';
    spec['serviceAccount'] = 'default';
  }
  const priorityClass = textAt(spec, 'priorityClassName');
  const priority = priorityClass === '' ? 0 : systemPriorities[priorityClass];
  if (priority !== undefined) setDefault(spec, 'priority', priority);
  if (priority !== undefined) setDefault(spec, 'preemptionPolicy', 'PreemptLowerPriority');
  tolerateLostNodes(spec);
}

const lostNodeSeconds = 300;

/** Also on every update: who replaces the list does not lose these. */
export function tolerateLostNodes(spec: JsonObject): void {
  const tolerations = objectsAt(spec, 'tolerations');
  for (const state of ['not-ready', 'unreachable']) {
    const key = `node.kubernetes.io/${state}`;
    const tolerated = tolerations.some(
      (toleration) =>
        ['', key].includes(textAt(toleration, 'key')) &&
        ['', 'NoExecute'].includes(textAt(toleration, 'effect')),
    );
    if (tolerated) continue;
    tolerations.push({
      effect: 'NoExecute',
      key,
      operator: 'Exists',
      tolerationSeconds: lostNodeSeconds,
    });
  }
  spec['tolerations'] = tolerations;
}

type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Only cpu and memory count; Guaranteed wants limits on both everywhere, equal to the requests. */
export function qosClass(spec: JsonObject): QosClass {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const grades = containers.map((container) => gradeOf(objectAt(container, 'resources')));
  if (grades.every((grade) => grade === 'BestEffort')) return 'BestEffort';
  return grades.every((grade) => grade === 'Guaranteed') ? 'Guaranteed' : 'Burstable';
}

function gradeOf(resources: JsonObject | undefined): QosClass {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  const counted = ['cpu', 'memory'];
  const asks = counted.some((name) => (quantityOf(limits[name] ?? requests[name]) ?? 0) > 0);
  if (!asks) return 'BestEffort';
  const equal = counted.every((name) => {
    const limit = quantityOf(limits[name]) ?? 0;
    return limit > 0 && limit === (quantityOf(requests[name]) ?? limit);
  });
  return equal ? 'Guaranteed' : 'Burstable';
}
