// What a Sandbox must be in the end: its status computed anew from its pod and its Service, and
// nothing there that should not be (spec agent-sandbox 1.7, 2.1). Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, textAt, uidOf } from '../fields.ts';
import type { Ending } from './ending.ts';
import {
  all,
  annotationOf,
  conditionOf,
  find,
  ipsOf,
  isGoing,
  isOf,
  isReady,
  isSuspended,
  nameOf,
  phaseOf,
  podIpsOf,
  podName,
  shutdownOf,
} from './objects.ts';

export function aboutSandbox({ store, now }: Ending, sandbox: Stored): readonly string[] {
  const [name, uid] = [nameOf(sandbox), uidOf(sandbox)];
  const what = `Sandbox ${name}`;
  if (isGoing(sandbox)) return [`${what} is on its way out`];
  const pods = all(store, 'pods').filter((pod) => isOf(pod, 'Sandbox', uid));
  if (pods.some(isGoing)) return [`${what}: its pod is on its way out`];
  const [pod] = pods;
  const wanted = wantedOf(sandbox, pod, now);
  const { status, reason } = conditionOf(sandbox, 'Ready');
  const service = find(store, 'services', name);
  const hasService = service !== undefined && isOf(service, 'Sandbox', uid);
  const isExpired = wanted.reason === 'SandboxExpired';
  const wantsService = at(sandbox, 'spec', 'service') === true && !isExpired;
  const isDeleted = isExpired && textAt(sandbox, 'spec', 'shutdownPolicy') === 'Delete';
  const missing = listAt(sandbox, 'spec', 'volumeClaimTemplates')
    .map((one) => `${textAt(one, 'metadata', 'name')}-${name}`)
    .filter((one) => !isOf(find(store, 'volumes', one), 'Sandbox', uid));
  const suspended = conditionOf(sandbox, 'Suspended').status;
  const sentences: readonly (readonly [boolean, string])[] = [
    [!isDeleted, 'has expired and is there'],
    [pods.length === wanted.pods, `has ${pods.length} pods and wants ${wanted.pods}`],
    [
      status === wanted.status && reason === wanted.reason,
      `is ${status} ${reason} and not ${wanted.status} ${wanted.reason}`,
    ],
    [
      isExpired || (suspended === 'True') === isSuspended(sandbox),
      `says of being suspended "${suspended}"`,
    ],
    [ipsOf(sandbox) === podIpsOf(pod), `has IPs ${ipsOf(sandbox)} and not ${podIpsOf(pod)}`],
    [
      textAt(sandbox, 'status', 'nodeName') === textAt(pod, 'spec', 'nodeName') || !isReady(pod),
      'names another node',
    ],
    [pod === undefined || annotationOf(sandbox, podName) === nameOf(pod), 'names another pod'],
    [hasService === wantsService, `${hasService ? 'has a' : 'has no'} Service`],
    [isExpired || missing.length === 0, `has no ${missing.join(', ')}`],
  ];
  return sentences.filter(([isRight]) => !isRight).map(([, text]) => `${what} ${text}`);
}

interface Wanted {
  readonly pods: number;
  readonly status: string;
  readonly reason: string;
}

function wantedOf(sandbox: Stored, pod: Stored | undefined, now: number): Wanted {
  const not = (reason: string, pods: number): Wanted => ({ pods, status: 'False', reason });
  if (shutdownOf(sandbox['spec']) <= now) return not('SandboxExpired', 0);
  if (isSuspended(sandbox)) return not('SandboxSuspended', 0);
  const phase = pod === undefined ? '' : phaseOf(pod);
  if (phase === 'Succeeded') return not('PodSucceeded', 1);
  if (phase === 'Failed') return not('PodFailed', 1);
  if (pod === undefined || !isReady(pod) || podIpsOf(pod) === '') {
    return not('DependenciesNotReady', 1);
  }
  return { pods: 1, status: 'True', reason: 'DependenciesReady' };
}
