// The conformance suite on a real control plane: the one of $COPPICE_CONFORMANCE_KUBECONFIG. It
// needs the controller manager (garbage collector, namespaces, tokens) beside the API server, and
// for the checks that forget old versions the address of etcd.
import { compactEtcd } from './etcd.ts';
import { conformance } from './run.ts';
import { serverAt } from './server.ts';

const kubeconfig = process.env['COPPICE_CONFORMANCE_KUBECONFIG'];
const why = process.env['COPPICE_CONFORMANCE_SKIP'] ?? 'COPPICE_CONFORMANCE_KUBECONFIG names none';
const etcdUrl = process.env['COPPICE_CONFORMANCE_ETCD'];

conformance({
  name: 'A real control plane',
  label: process.pid.toString(36),
  isKubernetes: true,
  start: async () => {
    const { server, close } = await serverAt(kubeconfig ?? '');
    if (etcdUrl === undefined) return { server, stop: close };
    const compact = (): Promise<void> => compactEtcd(etcdUrl, server.transport);
    return { server: { ...server, compact }, stop: close };
  },
  skip: kubeconfig === undefined ? why : undefined,
});
