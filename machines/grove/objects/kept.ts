// What is kept in memory of those of Grove's objects that are many, large or secret. The rows of
// their kinds name it (kinds.ts), and the transport calls it for every object that comes.
import { object, pick } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

/** The metadata is all. */
export const metadataAlone = (): Record<string, unknown> => ({});

const podSpecFields = ['hostname', 'subdomain', 'nodeName', 'schedulerName', 'schedulingGates'];
const conditionFields = ['type', 'status', 'reason', 'message', 'lastTransitionTime'];

/** Of a pod, what its PodClique reads (pod.ts): the rest is most of it. */
export function keptOfPod(raw: JsonObject): Record<string, unknown> {
  const spec = object(raw['spec']);
  const status = object(raw['status']);
  return {
    spec: pick(spec, podSpecFields),
    status: {
      ...pick(status, ['phase', 'reason']),
      ...each(status, 'conditions', (condition) => pick(condition, conditionFields)),
      ...each(status, 'initContainerStatuses', keptOfContainer),
      ...each(status, 'containerStatuses', keptOfContainer),
    },
  };
}

function keptOfContainer(status: JsonObject): Record<string, unknown> {
  const state = Object.entries(object(status['state'])).map(([phase, detail]) => [
    phase,
    pick(object(detail), ['reason', 'exitCode', 'finishedAt']),
  ]);
  const exitCode = object(object(status['lastState'])['terminated'])['exitCode'];
  return {
    ...pick(status, ['name', 'ready', 'started', 'restartCount']),
    ...(state.length === 0 ? {} : { state: Object.fromEntries(state) }),
    ...(exitCode === undefined ? {} : { lastState: { terminated: { exitCode } } }),
  };
}

/** The list under `field`, each entry reduced; nothing where there is no such list. */
function each(
  from: JsonObject,
  field: string,
  reduce: (entry: JsonObject) => Record<string, unknown>,
): Record<string, unknown> {
  const list = from[field];
  return Array.isArray(list) ? { [field]: list.map((entry) => reduce(object(entry))) } : {};
}
