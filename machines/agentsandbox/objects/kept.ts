// What stays in memory of the objects that belong to Sandboxes, besides metadata.
import { at, isObject, list, object, pick } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

const conditionTypes = ['Ready', 'PodScheduled'];
const conditionFields = ['type', 'status', 'reason', 'message', 'lastTransitionTime'];

/** The rest of a pod is most of it. */
export function keptOfPod(raw: JsonObject): Record<string, unknown> {
  const status = object(raw['status']);
  const conditions = list(status['conditions'])
    .filter(isObject)
    .filter(({ type }) => typeof type === 'string' && conditionTypes.includes(type))
    .map((condition) => pick(condition, conditionFields));
  return {
    spec: pick(object(raw['spec']), ['nodeName']),
    status: {
      ...pick(status, ['phase', 'podIP', 'podIPs', 'startTime']),
      conditions,
      ...failedStarts(status),
    },
  };
}

/** Of containers that could not be started: a warm pool slows down for them. */
function failedStarts(status: JsonObject): Record<string, unknown> {
  const failed = list(status['containerStatuses'])
    .filter(isObject)
    .filter(({ state, lastState }) =>
      [state, lastState].some((one) => at(one, 'terminated', 'reason') === 'StartError'),
    )
    .map((container) => pick(container, ['name', 'state', 'lastState']));
  return failed.length === 0 ? {} : { containerStatuses: failed };
}

export const keptOfService = ({ spec }: JsonObject): Record<string, unknown> => ({
  spec: pick(object(spec), ['clusterIP', 'selector', 'ports']),
});

export const keptOfPolicy = ({ spec }: JsonObject): Record<string, unknown> => ({ spec });
