// Reads and writes the `scale` of what runs the pods of a revision: one PUT for a change, under the
// version that was read, so that nobody else's change is overwritten. Used by autoscaler.ts.
import { at, count } from '#machines/kubernetes/json.ts';
import type { scaleKinds } from '#src/config/activator.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';

export interface ScaleTarget {
  readonly kind: (typeof scaleKinds)[number];
  readonly namespace: string;
  readonly name: string;
}

/** What stands in the `scale` of the target, with what else is in it. */
export interface Scale {
  /** As asked for. */
  readonly wanted: number;
  /** As observed by whoever makes the pods. */
  readonly observed: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type ScaleOutcome =
  | { readonly ok: true; readonly scale: Scale }
  /** `isConflict`: somebody else has changed it since it was read. */
  | { readonly ok: false; readonly isConflict: boolean; readonly message: string };

const paths: Readonly<Record<ScaleTarget['kind'], readonly [group: string, plural: string]>> = {
  Deployment: ['apps/v1', 'deployments'],
  PodClique: ['grove.io/v1alpha1', 'podcliques'],
  PodCliqueScalingGroup: ['grove.io/v1alpha1', 'podcliquescalinggroups'],
};

export const nameOfTarget = ({ kind, namespace, name }: ScaleTarget): string =>
  `${kind} ${namespace}/${name}`;

function pathOf({ kind, namespace, name }: ScaleTarget): string {
  const [group, plural] = paths[kind];
  const [where, which] = [namespace, name].map(encodeURIComponent);
  return `/apis/${group}/namespaces/${where}/${plural}/${which}/scale`;
}

type Requests = Pick<KubeTransport, 'request'>;

export const readScale = (transport: Requests, target: ScaleTarget): Promise<ScaleOutcome> =>
  send(transport, { method: 'GET', path: pathOf(target) });

export const writeScale = (
  transport: Requests,
  target: ScaleTarget,
  { body }: Scale,
  replicas: number,
): Promise<ScaleOutcome> =>
  send(transport, {
    method: 'PUT',
    path: pathOf(target),
    contentType: 'application/json',
    body: { ...body, spec: { replicas } },
  });

async function send(
  transport: Requests,
  request: Parameters<Requests['request']>[0],
): Promise<ScaleOutcome> {
  try {
    const response = await transport.request(request);
    if (isSuccess(response)) return { ok: true, scale: readBody(response.body) };
    const { message } = failureOf(response);
    return { ok: false, isConflict: response.status === 409, message };
  } catch (error) {
    return { ok: false, isConflict: false, message: unreachable(error).message };
  }
}

const readBody = (body: unknown): Scale => ({
  wanted: count(at(body, 'spec', 'replicas')) ?? 0,
  observed: count(at(body, 'status', 'replicas')) ?? 0,
  body: typeof body === 'object' && body !== null ? { ...body } : {},
});
