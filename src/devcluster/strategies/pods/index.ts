// The strategy of pods: what the REST layer asks on every read-modify-write of a pod.
import type { Strategy } from '#src/devcluster/contract.ts';
import { withStatus } from '../base.ts';
import { ensureObject, numberAt, objectAt, textAt } from '../json.ts';
import { prepareNewPod, qosClass } from './create.ts';
import { defaultPodSpec } from './defaults.ts';
import { validatePodUpdate } from './update.ts';
import { validatePod } from './validate.ts';

export const podStrategy: Strategy = withStatus({
  defaults: (pod) => defaultPodSpec(ensureObject(pod, 'spec')),
  prepareCreate: prepareNewPod,
  prepareUpdate: (pod, _old, subresource) => {
    if (subresource !== 'status') return;
    // The class is decided at creation; a status that leaves it out does not erase it.
    const status = ensureObject(pod, 'status');
    status['qosClass'] ??= qosClass(objectAt(pod, 'spec') ?? {});
  },
  validate: (pod, subresource) => (subresource === '' ? validatePod(pod) : []),
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
