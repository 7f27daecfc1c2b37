// kubectl's commands on the real control plane of $COPPICE_CONFORMANCE_KUBECONFIG, which has our
// CRDs. Here the expected outputs come from.
import { kubectlSuite } from './run.ts';

const kubeconfig = process.env['COPPICE_CONFORMANCE_KUBECONFIG'];

kubectlSuite({
  server: 'A real control plane',
  differences: {},
  isModel: true,
  start: () => Promise.resolve({ kubeconfig: kubeconfig ?? '', stop: () => Promise.resolve() }),
  skip: kubeconfig === undefined ? 'COPPICE_CONFORMANCE_KUBECONFIG names none' : undefined,
});
