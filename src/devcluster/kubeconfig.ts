// The kubeconfig of the embedded cluster: one cluster, one admin with a client certificate, one
// context.
import { stringify } from 'yaml';
import type { Issued } from '#src/tls/authority.ts';

export interface KubeconfigParts {
  /** Of cluster, user and context. */
  readonly name: string;
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  readonly client: Issued;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The file's text. */
export function kubeconfigText({ name, url, authority, client }: KubeconfigParts): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: `${name}-admin`,
        user: {
          'client-certificate-data': base64(client.cert),
          'client-key-data': base64(client.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin`, namespace: 'default' } }],
  });
}
