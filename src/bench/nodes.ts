// Nodes that KWOK plays for a run of `coppice bench`: labelled with the run, by which they are
// found again, and tainted, so that nothing else goes there. Called by run.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';

/** Its value is the run. */
export const simulatedLabel = 'coppice.dev/bench';
export const simulatedTaint = { key: 'coppice.dev/bench', effect: 'NoSchedule' } as const;

/** KWOK plays nodes with this label (its tests have it) or with its annotation. */
const labelOfKwok = { type: 'kwok' };

const size = { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': '8' };

const nodeOf = (run: string, index: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `coppice-bench-${run}-${index}`,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: {
      ...labelOfKwok,
      [simulatedLabel]: run,
      'kubernetes.io/hostname': `coppice-bench-${run}-${index}`,
      'kubernetes.io/os': 'linux',
    },
  },
  spec: { taints: [{ ...simulatedTaint, value: run }] },
  status: { allocatable: size, capacity: size },
});

/** Rejects with the server's words for the first that is refused. */
export async function addNodes(
  transport: KubeTransport,
  run: string,
  nodes: number,
  signal: AbortSignal,
): Promise<void> {
  for (let index = 0; index < nodes; index++) {
    signal.throwIfAborted();
    const body = nodeOf(run, index);
    const reply = await transport.request({ method: 'POST', path: '/api/v1/nodes', body });
    if (reply.status === 201) continue;
    const why = text(at(reply.body, 'message')) || `status ${reply.status}`;
    throw new CoppiceError('SERVER_ERROR', `a simulated node cannot be made: ${why}`);
  }
}

/** All of the run, and no others. */
export async function removeNodes(transport: KubeTransport, run: string): Promise<void> {
  const labelSelector = encodeURIComponent(`${simulatedLabel}=${run}`);
  await transport.request({
    method: 'DELETE',
    path: `/api/v1/nodes?labelSelector=${labelSelector}`,
  });
}
