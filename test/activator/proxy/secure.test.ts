// HTTP over TLS: HTTP/1.1 or HTTP/2 as client and server agree, and certificates that change while
// connections are open.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { request as ask } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Authority, createAuthority, type Issued } from '#src/tls/authority.ts';
import { systemClock } from '#src/time/clock.ts';
import { hello, http2PodOf, podOf } from './support/backends.ts';
import { RawClient, until } from './support/client.ts';
import { TestPath, toRevision } from './support/path.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

const certificate = (name: string): Promise<Issued> => authority.server([name], ['127.0.0.1']);

async function write(folder: string, { cert, key }: Issued): Promise<void> {
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
}

async function secure() {
  const folder = await mkdtemp(join(tmpdir(), 'activator-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await write(folder, await certificate('first.example'));
  const path = await TestPath.start({
    listen: { host: '127.0.0.1', http: 0, h2c: 0, https: { port: 0, folder, pollMs: 2 } },
  });
  const port = path.path.ports.https ?? 0;
  return { path, folder, port };
}

async function presented(port: number): Promise<string> {
  const socket = await handshake(port);
  const { subjectaltname = '' } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
}

async function handshake(port: number, maxVersion?: 'TLSv1.2'): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: authority.cert,
    ...(maxVersion && { maxVersion }),
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

describe('A request over TLS', () => {
  it('is served by HTTP/1.1 and by HTTP/2', async () => {
    const { path, port } = await secure();
    await path.add(await podOf(hello));
    const options = { port, host: '127.0.0.1', ca: authority.cert, agent: false };
    const body = await new Promise<string>((resolve, reject) => {
      ask({ ...options, headers: toRevision }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    expect(body).toBe('hello');
  });

  it('is agreed on as HTTP/2 by those who offer it', async () => {
    const { path, port } = await secure();
    await path.add(
      await http2PodOf((stream) => {
        stream.respond({ ':status': 200 });
        stream.end('hello');
      }),
    );
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority.cert });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/', ...toRevision });
    const [head]: { ':status'?: number }[] = await once(stream, 'response');
    expect(head?.[':status']).toBe(200);
    stream.close();
  });

  it('below TLS 1.3 is refused (H-139)', async () => {
    const { port } = await secure();
    await expect(handshake(port, 'TLSv1.2')).rejects.toThrow(/alert|protocol/i);
  });
});

describe('A certificate', () => {
  it('that is written anew is presented to new connections, and those that are open stay (H-140)', async () => {
    const { path, folder, port } = await secure();
    const open = await handshake(port);
    await expect(presented(port)).resolves.toContain('first.example');
    await write(folder, await certificate('second.example'));
    await until(() => path.logged('presents a new certificate').length > 0);
    await expect(presented(port)).resolves.toContain('second.example');
    expect(open.destroyed).toBe(false);
  });

  it('that cannot be read leaves the last one in place (H-140)', async () => {
    const { path, folder, port } = await secure();
    await writeFile(join(folder, 'tls.crt'), 'no certificate');
    const said = 'the certificate cannot be read; the last one is presented';
    await until(() => path.logged(said).length > 0);
    await expect(presented(port)).resolves.toContain('first.example');
  });

  it('that is not there keeps the request path from starting', async () => {
    await expect(
      TestPath.start({
        listen: { host: '127.0.0.1', http: 0, https: { port: 0, folder: '/nowhere' } },
      }),
    ).rejects.toThrow(/nowhere/);
  });
});

describe('A client over TLS', () => {
  it('that does not end its handshake is cut off (H-92)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'activator-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await write(folder, await certificate('first.example'));
    const path = await TestPath.start({
      listen: { host: '127.0.0.1', http: 0, https: { port: 0, folder } },
      limits: { handshakeMs: 30 },
    });
    const client = new RawClient(path.path.ports.https ?? 0);
    await client.closed();
    expect(client.text).toBe('');
  });
});
