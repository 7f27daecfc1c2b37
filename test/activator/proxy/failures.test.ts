// What a client is told when its request gets no pod, or none that answers; what the plane is told
// of such a pod; and which requests are tried again.
import { describe, expect, it } from 'vitest';
import { dial, dialLimits, DialTimeout, hostPortOf } from '#src/activator/proxy/dial.ts';
import { hello, type Pod, podOf, rawPodOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

/** A port at which nobody listens any more. */
async function deadPod(): Promise<Pod> {
  const pod = await podOf(hello);
  await pod.kill();
  return pod;
}

describe('A request whose pod cannot be reached', () => {
  it('goes to another one, once, and the plane hears of the pod', async () => {
    const dead = await deadPod();
    const path = await TestPath.with(dead);
    path.silence(dead);
    const asked = path.ask({ method: 'POST', body: 'x' });
    await until(() => path.stateOf(dead) === 'not-ready');
    const alive = await podOf(hello);
    await path.add(alive);
    await expect(asked).resolves.toMatchObject({ status: 200, body: 'hello' });
    expect(alive.seen).toBe(1);
  });

  it('is answered with 502 and no more when there is nobody else, and once (H-89); the log names it (H-40)', async () => {
    const dead = await deadPod();
    const path = await TestPath.with(dead, { limits: { retryMs: 1 } });
    await until(() => path.stateOf(dead) === 'ready');
    const got = await path.ask();
    expect([got.status, got.body]).toEqual([502, 'bad gateway']);
    const [line] = path.logged('a request did not reach its pod or got no whole answer');
    expect(line).toMatchObject({ namespace: 'demo', name: 'hello', pod: dead.dest });
    expect(path.counted.endings).toEqual({ answered: 0, refused: 1, cancelled: 0, cut: 0 });
  });
});

describe('A pod that is not there yet', () => {
  it('is asked again and again, and no line of the log calls that an error (H-68)', async () => {
    const path = await TestPath.start();
    const pod = await deadPod();
    path.list(pod);
    path.silence(pod);
    const failed = (): number =>
      path.telemetry.calls.measured.filter(({ labels }) => labels?.['result'] === 'failed').length;
    await until(() => failed() >= 2);
    const levels = new Set(path.telemetry.calls.log.map(([level]) => level));
    expect([...levels].filter((level) => level === 'error' || level === 'warn')).toEqual([]);
  });
});

describe('A request that a pod may have seen', () => {
  it('is not sent again: its client hears that the gateway failed (H-93)', async () => {
    let seen = 0;
    const lost = (): Promise<Pod> =>
      rawPodOf((socket) => {
        socket.once('data', () => {
          seen += 1;
          socket.destroy();
        });
      });
    // So that a second attempt would go to the second pod.
    const path = await TestPath.with(lost(), { limit: 4 });
    await path.add(await lost());
    await expect(path.ask({ method: 'POST', body: 'x' })).resolves.toMatchObject({
      status: 502,
      body: 'bad gateway',
    });
    expect(seen).toBe(1);
  });

  it('and whose answer breaks off is cut, so that nobody takes it for whole', async () => {
    const pod = rawPodOf((socket) => {
      const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart';
      socket.once('data', () => socket.end(answer));
    });
    const path = await TestPath.with(pod);
    await expect(path.ask()).resolves.toMatchObject({ status: 200, body: 'part', isWhole: false });
    expect(path.counted.endings.cut).toBe(1);
  });

  it.each([
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    'nonsense\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
  ])('and is answered with what is no HTTP gets 502: %#', async (answer) => {
    const pod = rawPodOf((socket) => void socket.once('data', () => socket.end(answer)));
    const path = await TestPath.with(pod);
    await expect(path.ask()).resolves.toMatchObject({ status: 502, body: 'bad gateway' });
  });
});

describe('A request that finds the queue full', () => {
  it('is answered at once, and not as one whose time is over (H-12)', async () => {
    const path = await TestPath.start({ maxWaiting: 1, rules: { maxMs: 5_000 } });
    const waiting = path.ask();
    await until(() => path.counted.queued === 1);
    const got = await path.ask();
    expect([got.status, got.body]).toEqual([503, 'pending request queue full']);
    expect(got.headers['retry-after']).toBe('1');
    await path.add(await podOf(hello));
    await expect(waiting).resolves.toMatchObject({ status: 200 });
  });
});

describe('A request that waits', () => {
  it('is answered with 404 when its revision goes', async () => {
    const path = await TestPath.start();
    const waiting = path.ask();
    await until(() => path.counted.queued === 1);
    path.retire();
    await expect(waiting).resolves.toMatchObject({ status: 404 });
  });

  it('leaves its place when its client goes, by whichever kind of end (H-11)', async () => {
    const path = await TestPath.start();
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await until(() => path.counted.queued === 1);
    client.socket.destroy();
    await until(() => path.counted.queued === 0);
    const half = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`, { allowHalfOpen: true });
    await until(() => path.counted.queued === 1);
    half.socket.end();
    await until(() => path.counted.queued === 0);
    await half.closed();
    expect(path.counted.endings).toEqual({ answered: 0, refused: 0, cancelled: 2, cut: 0 });
  });

  it('leaves its place also if it waits behind another one of its connection', async () => {
    const path = await TestPath.start();
    const get = `GET / HTTP/1.1\r\n${headLines}\r\n`;
    const client = path.raw(get + get + get);
    await until(() => path.counted.queued === 3);
    client.socket.destroy();
    await until(() => path.counted.queued === 0);
    expect(path.counted.endings.cancelled).toBe(3);
  });

  it('and whose answer a client does not want any more ends at its pod', async () => {
    let isGone = false;
    const pod = podOf((_, response) => {
      response.write('x');
      response.once('close', () => {
        isGone = true;
      });
    });
    const path = await TestPath.with(pod);
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await client.until('x');
    client.socket.destroy();
    await until(() => isGone && path.counted.active === 0);
    expect(path.logged('a request did not reach its pod or got no whole answer')).toEqual([]);
  });
});

describe('A dial', () => {
  /** Of TEST-NET-1, where nobody is (RFC 5737). */
  const nowhere = { host: '192.0.2.1', port: 9 };

  it('tries again with more time each time, and only where there was no answer (H-91)', async () => {
    const limits = { ...dialLimits, firstMs: 5, attempts: 3, pauseMs: 1 };
    const error = await new Promise((resolve) => {
      dial(nowhere, limits, resolve);
    });
    // Where a network says at once that nobody is there, that is an answer.
    if (error instanceof DialTimeout) expect(error.message).toContain('3 attempts');
    else expect(error).toHaveProperty('syscall', 'connect');
    const dead = await deadPod();
    const refused = await new Promise((resolve) => {
      dial(hostPortOf(dead.dest), limits, resolve);
    });
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('that is given up calls nobody', async () => {
    let calls = 0;
    const giveUp = dial(nowhere, { ...dialLimits, firstMs: 1, attempts: 2, pauseMs: 1 }, () => {
      calls += 1;
    });
    giveUp();
    const other = await new Promise((resolve) => {
      dial(nowhere, { ...dialLimits, firstMs: 5, attempts: 2, pauseMs: 5 }, resolve);
    });
    expect(other).toBeInstanceOf(Error);
    expect(calls).toBe(0);
  });

  it.each([
    ['10.0.0.1:8012', { host: '10.0.0.1', port: 8012 }],
    ['[fd00::1]:8012', { host: 'fd00::1', port: 8012 }],
  ])('reads %s without a name server (H-62) (H-75)', (dest, found) => {
    expect(hostPortOf(dest)).toEqual(found);
  });
});
