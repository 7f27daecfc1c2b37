// kubectl's commands on the real control plane of $COPPICE_CONFORMANCE_KUBECONFIG, which has our
// CRDs. Here the expected outputs come from.
import { kubectlSuite } from './run.ts';

const kubeconfig = process.env['COPPICE_CONFORMANCE_KUBECONFIG'];
const why = process.env['COPPICE_CONFORMANCE_SKIP'] ?? 'COPPICE_CONFORMANCE_KUBECONFIG names none';

kubectlSuite({
  server: 'A real control plane',
  differences: {},
  isModel: true,
  start: () => Promise.resolve({ kubeconfig: kubeconfig ?? '', stop: () => Promise.resolve() }),
  skip: kubeconfig === undefined ? why : undefined,
});
