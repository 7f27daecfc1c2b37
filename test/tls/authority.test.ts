// Certificates of our own authority, as Node's TLS and a Kubernetes server read them.
import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';

const now = systemClock.now();

test('a server certificate is verified by its authority and names its addresses', async () => {
  const authority = await createAuthority('test', now);
  const { cert } = await authority.server(['localhost'], ['127.0.0.1']);
  const read = new X509Certificate(cert);
  expect(read.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect(read.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
});

test('a client certificate carries the user as CN and the groups as O', async () => {
  const authority = await createAuthority('test', now);
  const { cert } = await authority.client('jane', ['system:masters', 'b']);
  expect(new X509Certificate(cert).subject).toBe('CN=jane\nO=system:masters\nO=b');
});

test('a Node client that trusts the authority talks to its server, both sides known', async () => {
  const authority = await createAuthority('test', now);
  const own = await authority.server(['localhost'], ['127.0.0.1']);
  const client = await authority.client('jane', ['g']);
  const server = createServer(
    { ...own, ca: authority.cert, requestCert: true },
    (asked, answer) => {
      const peer = (asked.socket as import('node:tls').TLSSocket).getPeerCertificate();
      answer.end(peer.subject.CN);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await new Promise<string>((resolve, reject) => {
    request({ host: '127.0.0.1', port, ca: authority.cert, ...client }, (answer) => {
      answer.setEncoding('utf8').once('data', resolve);
    })
      .once('error', reject)
      .end();
  });
  server.close();
  expect(text).toBe('jane');
});
