// The source that reads certificates from files, and has the authority beside them trusted.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileCertificates } from '#src/admission/certificates/files.ts';
import type { CertificateSource } from '#src/admission/certificates/source.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { type Stage, stage } from './stage.ts';

describe('Certificates in files', () => {
  let folder = '';
  let cluster: Stage;
  let source: CertificateSource;
  let write: (name: string, text: string) => void;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-certificates-'));
    write = (name, text) => writeFileSync(join(folder, name), text);
    cluster = await stage();
    const { transport } = cluster;
    source = fileCertificates({ folder, transport, webhooks: enabledWebhooks(false) });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are read anew, and half a change is passed over', async () => {
    await expect(source.current()).rejects.toThrow(/tls\.(crt|key)/);

    const authority = await createAuthority('test', Date.UTC(2026, 0, 1));
    const [first, second] = [await authority.server(['a'], []), await authority.server(['b'], [])];
    write('tls.crt', first.cert);
    write('tls.key', first.key);
    expect(await source.current()).toEqual({ ...first, authorities: '' });

    write('tls.crt', second.cert);
    await expect(source.current()).rejects.toThrow('are not a certificate and its key');
    write('tls.key', second.key);
    expect(await source.current()).toMatchObject(second);

    write('tls.crt', 'no certificate');
    await expect(source.current()).rejects.toThrow('are not a certificate and its key');
  });

  it('ask nothing of a cluster that they say no authority for', async () => {
    const { transport } = await stage();
    const asked: string[] = [];
    const request: typeof transport.request = (each) => {
      asked.push(each.path);
      return transport.request(each);
    };
    const webhooks = enabledWebhooks(false);
    const silent = fileCertificates({ folder, transport: { ...transport, request }, webhooks });
    const authority = await createAuthority('test', Date.UTC(2026, 0, 1));
    const { cert, key } = await authority.server(['a'], []);
    write('tls.crt', cert);
    write('tls.key', key);
    expect(await silent.current()).toEqual({ cert, key, authorities: '' });
    expect(asked).toEqual([]);
  });

  it('have the authority beside them trusted, and the next one after it', async () => {
    await cluster.install();
    for (const name of ['first', 'second']) {
      const authority = await createAuthority(name, Date.UTC(2026, 0, 1));
      const { cert, key } = await authority.server(['a'], []);
      write('tls.crt', cert);
      write('tls.key', key);
      const before = await cluster.trusted();
      await source.current();
      expect(await cluster.trusted()).toEqual(before);

      write('ca.crt', authority.cert);
      expect(await source.current()).toEqual({ cert, key, authorities: authority.cert });
      expect(new Set(await cluster.trusted())).toEqual(new Set([authority.cert]));
      write('ca.crt', '');
    }
  });
});
