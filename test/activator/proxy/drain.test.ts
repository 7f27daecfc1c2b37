// How a request path ends: probes fail at once, requests are served as before for a while, and
// those under way are waited for.
import { connect } from 'node:http2';
import { connect as dial } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Pod, podOf, rawPodOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath, toRevision } from './support/path.ts';

const kubelet = { 'User-Agent': 'kube-probe/1.34' };
const get = `GET / HTTP/1.1\r\n${headLines}\r\n`;

interface Held {
  readonly pod: Pod;
  readonly ends: (() => void)[];
}

/** Its answers end when the test says so. */
async function held(): Promise<Held> {
  const ends: (() => void)[] = [];
  const pod = await podOf((_, response) => {
    ends.push(() => void response.end('whole'));
  });
  return { pod, ends };
}

/** Undefined: somebody listens there. */
const refusalAt = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = dial({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });

describe('A drain', () => {
  it('fails probes of the kubelet at once, and serves requests as before', async () => {
    const { pod, ends } = await held();
    const path = await TestPath.with(pod, { limits: { drainMs: 60_000 } });
    void path.path.drain();
    await expect(path.ask({ headers: kubelet })).resolves.toMatchObject({
      status: 500,
      body: 'received SIGTERM from kubelet\n',
    });
    const asked = path.ask();
    await until(() => ends.length === 1);
    ends[0]?.();
    await expect(asked).resolves.toMatchObject({ status: 200, body: 'whole' });
  });

  it('waits for the last request, and takes no more connections (H-138)', async () => {
    const { pod, ends } = await held();
    const listen = { host: '127.0.0.1', http: 0, h2c: 0 };
    const path = await TestPath.with(pod, { limits: { drainMs: 0 }, listen });
    const asked = path.ask();
    const idle = path.raw(
      get.replace('/', '/healthz').replace('\r\n\r\n', '\r\nK-Network-Probe: activator\r\n\r\n'),
    );
    await idle.until('activator');
    await until(() => ends.length === 1);
    let isDrained = false;
    const drained = path.path.drain().then(() => {
      isDrained = true;
    });
    await idle.closed();
    const { http, h2c = 0 } = path.path.ports;
    const refusals = await Promise.all([http, h2c].map(refusalAt));
    expect([isDrained, ...refusals]).toEqual([false, 'ECONNREFUSED', 'ECONNREFUSED']);
    ends[0]?.();
    const got = await asked;
    expect([got.body, got.isWhole, got.headers['connection']]).toEqual(['whole', true, 'close']);
    await drained;
  });

  it('waits for requests that wait for a pod', async () => {
    const path = await TestPath.start({ limits: { drainMs: 0 } });
    const asked = path.ask();
    await until(() => path.counted.queued === 1);
    const drained = path.path.drain();
    await path.add(await podOf((_, response) => void response.end('at last')));
    await expect(asked).resolves.toMatchObject({ body: 'at last' });
    await drained;
  });

  it('has sessions of HTTP/2 end with their last request', async () => {
    const path = await TestPath.start({ limits: { drainMs: 0 } });
    const session = connect(`http://127.0.0.1:${path.port}`);
    const probe = session.request({ ':path': '/', 'k-network-probe': 'activator' });
    await new Promise((resolve) => probe.resume().once('close', resolve));
    const waiting = session.request({ ':path': '/', ...toRevision });
    waiting.on('error', () => undefined);
    await until(() => path.counted.queued === 1);
    let isDrained = false;
    const drained = path.path.drain().then(() => {
      isDrained = true;
    });
    await until(() => session.closed);
    expect(isDrained).toBe(false);
    waiting.close();
    await drained;
    await until(() => session.destroyed);
  });

  it('tells upgraded connections to go away after their time (H-129)', async () => {
    const pod = rawPodOf((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      });
    });
    const path = await TestPath.with(pod, { limits: { drainMs: 0, upgradedMs: 20 } });
    const client = path.raw(
      `GET / HTTP/1.1\r\n${headLines}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await client.until('101');
    await path.path.drain();
    const text = await client.closed();
    // Close, 1001.
    expect(text.endsWith('\x88\x02\x03\xe9')).toBe(true);
  });
});

describe('A stop', () => {
  it('ends what is under way with an error for each', async () => {
    const { pod, ends } = await held();
    const path = await TestPath.with(pod, { limit: 1 });
    const clients = [path.raw(get), path.raw(get)];
    await until(() => ends.length === 1 && path.counted.queued === 1);
    await path.path.stop();
    await Promise.all(clients.map((client) => client.closed()));
    expect(path.counted).toMatchObject({ underWay: 0, active: 0, queued: 0 });
  });
});
