// A revision as its actor reads it: Knative's Revision, or a row of our own configuration in its
// shape (spec activator 1.11, 2.1.2 and 2.3).
import { at, count, list, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { isPolicy, policyNames, type PolicyName } from '../table.ts';
import { annotation } from './labels.ts';

export interface ObservedRevision extends Meta {
  readonly kind: 'Revision';
  /** Requests that one pod takes at once; 0: any number. */
  readonly limit: number;
  readonly maxScale: number;
  /** Undefined: by the limit. */
  readonly policy: PolicyName | undefined;
  /** Of its namespace; undefined: what Knative's ServerlessService says, or as that is named. */
  readonly service: string | undefined;
  readonly port: string;
  /** `namespace/name` of the Service of its activators; undefined: as Knative has it. */
  readonly activators: string | undefined;
  /** No request lasts longer. */
  readonly timeoutSeconds: number;
  /** The pod's own answer may count before Kubernetes calls it ready: no container has a probe that
   *  only the kubelet can run. */
  readonly isEarly: boolean;
}

const defaultTimeoutSeconds = 300;

export function readRevision(source: KubeObject): ObservedRevision | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const { annotations } = meta;
  const spec = source['spec'];
  const limit = wholeOr(at(spec, 'containerConcurrency'), 0);
  const timeoutSeconds = wholeOr(at(spec, 'timeoutSeconds'), defaultTimeoutSeconds);
  const maxScale = wholeOr(numberIn(annotations[annotation.maxScale]), 0);
  const policy = annotations[annotation.policy];
  if (limit === undefined) return notWhole('spec.containerConcurrency');
  if (timeoutSeconds === undefined) return notWhole('spec.timeoutSeconds');
  if (maxScale === undefined) return notWhole(`metadata.annotations["${annotation.maxScale}"]`);
  if (policy !== undefined && !isPolicy(policy)) {
    const field = `metadata.annotations["${annotation.policy}"]`;
    return { malformed: `${field} is none of ${policyNames.join(', ')}` };
  }
  const containers = list(at(spec, 'containers'));
  return {
    ...meta,
    kind: 'Revision',
    limit,
    maxScale,
    policy,
    service: word(annotations[annotation.service]),
    activators: word(annotations[annotation.activators]),
    port: word(annotations[annotation.port]) ?? (containers.some(isHttp2) ? 'http2' : 'http'),
    timeoutSeconds,
    isEarly: annotations[annotation.early] !== 'false' && !containers.some(hasKubeletProbe),
  };
}

const notWhole = (field: string): Malformed => ({
  malformed: `${field} is not a whole number from 0 to 2147483647`,
});

const wholeOr = (value: unknown, otherwise: number): number | undefined =>
  value === undefined ? otherwise : count(value);

/** Annotations are texts. */
const numberIn = (value: string | undefined): unknown =>
  value === undefined || value === '' ? undefined : Number(value);

const isHttp2 = (container: unknown): boolean =>
  list(at(container, 'ports')).some((port) => at(port, 'name') === 'h2c');

/** In any container: what answers for the pod sees neither kind. */
const hasKubeletProbe = (container: unknown): boolean =>
  at(container, 'startupProbe') !== undefined ||
  at(container, 'readinessProbe', 'exec') !== undefined;
