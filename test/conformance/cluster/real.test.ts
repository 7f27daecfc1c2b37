// The conformance suite on a real control plane: the one that $COPPICE_CONFORMANCE_KUBECONFIG names.
// It needs the controller manager (garbage collector, namespaces, tokens) beside the API server.
import { describe, test } from 'vitest';
import { conformance } from './run.ts';
import { serverAt } from './server.ts';

const kubeconfig = process.env['COPPICE_CONFORMANCE_KUBECONFIG'];

if (kubeconfig === undefined) {
  describe('A real control plane', () => {
    test.skip('is not named: set COPPICE_CONFORMANCE_KUBECONFIG to its kubeconfig', () => {});
  });
} else {
  const label = process.pid.toString(36);
  conformance('A real control plane', label, async () => {
    const { server, close } = await serverAt(kubeconfig);
    return { server, stop: close };
  });
}
