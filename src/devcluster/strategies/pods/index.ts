// The strategy of pods: what the REST layer asks on every read-modify-write of a pod.
import {
  ensureObject,
  numberAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import type { Stored, Strategy } from '#src/devcluster/contract.ts';
import { withStatus } from '../base.ts';
import { prepareNewPod, qosClass, tolerateLostNodes } from './create.ts';
import { defaultPodSpec } from './defaults.ts';
import { validatePodUpdate } from './update.ts';
import { validateNewPod, validatePod } from './validate.ts';

const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];

/** These fields of a container's status are told even where they are empty. */
function completeContainerStatuses(pod: Stored): void {
  const status = objectAt(pod, 'status');
  for (const one of statusLists.flatMap((list) => objectsAt(status, list))) {
    for (const field of ['state', 'lastState']) setDefault(one, field, {});
    for (const field of ['name', 'image', 'imageID']) setDefault(one, field, '');
    setDefault(one, 'ready', false);
    setDefault(one, 'restartCount', 0);
  }
}

export const podStrategy: Strategy = withStatus({
  defaults: (pod) => {
    const spec = ensureObject(pod, 'spec');
    defaultPodSpec(spec);
    setDefault(spec, 'enableServiceLinks', true);
    completeContainerStatuses(pod);
  },
  prepareCreate: prepareNewPod,
  prepareUpdate: (pod, _old, subresource) => {
    if (subresource === '') tolerateLostNodes(ensureObject(pod, 'spec'));
    if (subresource !== 'status') return;
    // The class is decided at creation; a status that leaves it out does not erase it.
    const status = ensureObject(pod, 'status');
    status['qosClass'] ??= qosClass(objectAt(pod, 'spec') ?? {});
    for (const condition of objectsAt(status, 'conditions')) {
      condition['lastProbeTime'] ??= null;
      condition['lastTransitionTime'] ??= null;
    }
  },
  validate: (pod, subresource) => (subresource === '' ? validateNewPod(pod) : []),
  validateUpdate: (pod, old, subresource) =>
    subresource === '' ? [...validatePodUpdate(pod, old), ...validatePod(pod)] : [],
  graceSeconds: (pod, requested) => {
    const spec = objectAt(pod, 'spec');
    const phase = textAt(objectAt(pod, 'status'), 'phase');
    if (textAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    const seconds = requested ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  selectableFields: (pod) => {
    const spec = objectAt(pod, 'spec');
    const status = objectAt(pod, 'status');
    return {
      'spec.nodeName': textAt(spec, 'nodeName'),
      'spec.restartPolicy': textAt(spec, 'restartPolicy'),
      'spec.schedulerName': textAt(spec, 'schedulerName'),
      'spec.serviceAccountName': textAt(spec, 'serviceAccountName'),
      'spec.hostNetwork': String(spec?.['hostNetwork'] === true),
      'status.phase': textAt(status, 'phase'),
      'status.podIP': textAt(status, 'podIP'),
      'status.nominatedNodeName': textAt(status, 'nominatedNodeName'),
    };
  },
});
