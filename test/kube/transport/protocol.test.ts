// Which version of HTTP is spoken with a real HTTPS server: over HTTP/2 one lost packet would hold
// up all requests of a process.
import { expect, test } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { connect, sendJson, startServer } from '../support/https-server.ts';

test('requests go over HTTP/1.1, also to a server that would rather speak HTTP/2', async () => {
  const authority = await createAuthority('test authority', systemClock.now());
  const versions: string[] = [];
  const server = await startServer(
    authority,
    ({ httpVersion }, response) => {
      versions.push(httpVersion);
      sendJson(response, 200, {});
    },
    { ALPNProtocols: ['h2', 'http/1.1'] },
  );
  const transport = connect({ server: server.url }, authority.cert);
  const answer = await transport.request({ method: 'GET', path: '/' });
  expect([answer.status, versions]).toEqual([200, ['1.1']]);
});
