// Grove's init container as a program of the simulated kubelet: for a pod with
// `grove-initc --podcliques=<PodClique>:<count>` it follows the pods of the gang by the code of
// `coppice init` until its parents are ready. Part of the plug-in (index.ts).
import { label, startContainerName } from '#machines/grove/objects/labels.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { followParents } from '#src/init/follow.ts';
import { parseParents } from '#src/init/order.ts';
import type { Parents } from '#src/init/order.ts';
import { namespaceOf } from '../../controllers/client.ts';
import type { InitProgram } from '../contract.ts';

export const startOrder: InitProgram = {
  containerOf: (pod) =>
    objectsAt(objectAt(pod, 'spec'), 'initContainers').find(
      (each) => textAt(each, 'name') === startContainerName && parentsOf(each).size > 0,
    ),
  start: ({ pod, container, transport, clock, random, log, ended }) =>
    followParents({
      transport,
      clock,
      random,
      log: (level, message, fields) => log(level === 'error' ? 'warn' : level, message, fields),
      namespace: namespaceOf(pod),
      gang: textsAt(pod.metadata, 'labels')[label.podGang] ?? '',
      parents: parentsOf(container),
      met: ended,
    }),
};

/** PodClique to the number of its pods that must be ready. */
function parentsOf(container: JsonObject): Parents {
  const flag = '--podcliques=';
  const values = [...listAt(container, 'command'), ...listAt(container, 'args')]
    .filter((each) => typeof each === 'string')
    .filter((each) => each.startsWith(flag))
    .map((each) => each.slice(flag.length));
  const parsed = parseParents(values);
  return parsed.ok ? parsed.parents : new Map();
}
