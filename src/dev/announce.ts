// Leaves word in the kubeconfig of `coppice dev` of where its controller answers questions, under
// the name by which `kubectl coppice` looks for it (src/plugin/reach/find.ts): it runs in no pod.
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import type { Clock } from '#actors/ports.ts';
import { at, textOf } from '#machines/kubernetes/json.ts';
import { writeKubeconfig } from '#src/kube/connect/kubeconfig-file.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { extensionName } from '#src/plugin/reach/extension.ts';

/** Until there is a certificate. */
const waitMs = 30_000;
const pollMs = 100;

interface Announced {
  readonly kubeconfig: string;
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly namespace: string;
  readonly secretName: string;
  /** Undefined: not yet. */
  readonly address: () => string | undefined;
}

/** Rejects where nobody answers after a while, or the file cannot be written. */
export async function announce(options: Announced): Promise<void> {
  const { kubeconfig, transport, namespace, secretName } = options;
  const server = await addressIn(options);
  const path = `/api/v1/namespaces/${namespace}/secrets/${secretName}`;
  const { body } = await transport.request({ method: 'GET', path });
  const authority = textOf(at(body, 'data', 'ca.crt')) ?? '';
  const document = parseDocument(await readFile(kubeconfig, 'utf8'));
  const extension = { server, namespace, 'certificate-authority-data': authority };
  const extensions = document.createNode([{ name: extensionName, extension }]);
  document.setIn(['contexts', 0, 'context', 'extensions'], extensions);
  await writeKubeconfig(kubeconfig, document.toString());
}

async function addressIn({ clock, address }: Announced): Promise<string> {
  const end = clock.now() + waitMs;
  for (;;) {
    const known = address();
    if (known !== undefined) return known;
    if (clock.now() > end) throw new Error('the controller does not answer questions');
    await new Promise<void>((resolve) => clock.at(clock.now() + pollMs, resolve));
  }
}
