// The conformance suite on a real control plane: the one of $COPPICE_CONFORMANCE_KUBECONFIG. It
// needs the controller manager (garbage collector, namespaces, tokens) beside the API server.
import { conformance } from './run.ts';
import { serverAt } from './server.ts';

const kubeconfig = process.env['COPPICE_CONFORMANCE_KUBECONFIG'];

conformance(
  'A real control plane',
  process.pid.toString(36),
  async () => {
    const { server, close } = await serverAt(kubeconfig ?? '');
    return { server, stop: close };
  },
  kubeconfig === undefined ? 'COPPICE_CONFORMANCE_KUBECONFIG names none' : undefined,
);
