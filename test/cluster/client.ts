// A transport to a cluster that this folder started: its kubeconfigs are JSON with a token and a
// CA.
import { readFile } from 'node:fs/promises';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';

interface Kubeconfig {
  readonly clusters: readonly [
    {
      readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
    },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

export async function transportOf(kubeconfigFile: string): Promise<HttpTransport> {
  const { clusters, users } = JSON.parse(await readFile(kubeconfigFile, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  return httpTransport(
    {
      server,
      tls: { ca: Buffer.from(ca, 'base64').toString(), insecure: false },
      namespace: 'default',
      credentials: fixedCredentials({
        headers: { authorization: `Bearer ${users[0].user.token}` },
      }),
    },
    { userAgent: 'coppice-test' },
  );
}
