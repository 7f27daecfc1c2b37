// Certificates from files (mode `manual`): somebody else writes `tls.crt` and `tls.key` into a
// folder, as a mounted Secret or by hand. They are read anew at every look, so a change needs no
// restart; half a change (a certificate without its key) is passed over.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPair } from './bundle.ts';
import type { CertificateSource } from './source.ts';

export const fileCertificates = (folder: string): CertificateSource => ({
  current: async () => {
    const [cert, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    const identity = { cert: cert ?? '', key: key ?? '', authorities: '' };
    if (readPair(identity) === undefined) {
      throw new Error(`${folder}: tls.crt and tls.key are not a certificate and its key`);
    }
    return identity;
  },
});
