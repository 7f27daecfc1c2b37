// A write that waited for its socket is asked about once more before it goes on the wire: the one
// place where a process that was stopped, or whose lease ended meanwhile, can still hold it back.
import { beforeAll, describe, expect, it } from 'vitest';
import { NotWanted } from '#src/kube/transport/transport.ts';
import { clusterPort } from '#src/kube/write.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority, type Authority } from '#src/tls/authority.ts';
import { connect, sendJson, startServer } from '#test/kube/support/https-server.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

describe('A write that is no longer wanted when its turn comes', () => {
  it('is never sent, and the connection serves the next one', async () => {
    const paths: (string | undefined)[] = [];
    let free = (): void => undefined;
    const isBusy = new Promise<void>((resolve) => {
      free = resolve;
    });
    const server = await startServer(authority, (request, response) => {
      paths.push(request.url);
      void (request.url === '/first' ? isBusy : Promise.resolve()).then(() =>
        sendJson(response, 200, {}),
      );
    });
    const transport = connect({ server: server.url }, authority.cert, { sockets: 1 });
    const first = transport.request({ method: 'GET', path: '/first' });
    let isWanted = true;
    const late = transport.request({
      method: 'POST',
      path: '/late',
      body: {},
      isWanted: () => isWanted,
    });
    const last = transport.request({ method: 'GET', path: '/last', isWanted: () => true });
    const refused = late.then(
      () => 'sent',
      (error: unknown) => error,
    );
    isWanted = false;
    free();
    await Promise.all([first, last]);
    expect(await refused).toBeInstanceOf(NotWanted);
    expect(paths).toEqual(['/first', '/last']);
    expect(server.connections()).toBe(1);
  });

  it('is reported as NOT_OWNER', async () => {
    const port = clusterPort({
      request: () => Promise.reject(new NotWanted()),
      watch: () => () => {},
    });
    const ref = { kind: 'Pod', namespace: 'default', name: 'a' } as const;
    const outcome = await port.write({ op: 'delete', ref, uid: 'u' }, () => false);
    expect(outcome).toMatchObject({ ok: false, code: 'NOT_OWNER' });
  });
});
