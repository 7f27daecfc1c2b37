// Certificates from files (mode `manual`): somebody else writes `tls.crt` and `tls.key` into a
// folder, as a mounted Secret or by hand. They are read anew at every look, so a change needs no
// restart; half a change (a certificate without its key) is passed over. Where `ca.crt` is beside
// them, as cert-manager writes it, the webhooks that this process registers trust it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Registered } from '../webhook.ts';
import { readPair } from './bundle.ts';
import type { CertificateSource } from './source.ts';
import { readTrusting, trust } from './trust.ts';

interface FileOptions {
  readonly folder: string;
  readonly transport: KubeTransport;
  /** Whose trust is ours to say. */
  readonly webhooks: readonly Registered[];
}

export const fileCertificates = ({
  folder,
  transport,
  webhooks,
}: FileOptions): CertificateSource => ({
  current: async () => {
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    const readAuthorities = (): Promise<string> => read('ca.crt').catch(() => '');
    // Before the files: see `trust`. Without an authority nobody needs the right to look.
    const isTold = (await readAuthorities()) !== '';
    const configurations = isTold ? await readTrusting(transport, webhooks) : [];
    const [cert, key] = await Promise.all([read('tls.crt'), read('tls.key')]);
    const authorities = await readAuthorities();
    if (readPair({ cert, key }) === undefined) {
      throw new Error(`${folder}: tls.crt and tls.key are not a certificate and its key`);
    }
    if (authorities !== '') await trust(transport, configurations, authorities);
    return { cert, key, authorities };
  },
});
