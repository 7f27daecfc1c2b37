// What no honest client sends by HTTP/2: a stream or its session ends, nothing of it reaches a pod
// as a request, and other clients are served meanwhile.
import { connect, constants } from 'node:http2';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { http2PodOf, type Pod } from './support/backends.ts';
import { RawClient, turn, until } from './support/client.ts';
import {
  block,
  endHeaders,
  endStream,
  frame,
  preface,
  resetCodeIn,
  usualFields,
} from './support/frames.ts';
import { TestPath, toRevision } from './support/path.ts';

interface Served {
  readonly path: TestPath;
  readonly pod: Pod;
}

const answering = (): Promise<Pod> =>
  http2PodOf((stream) => {
    if (stream.destroyed) return;
    stream.respond({ ':status': 200 });
    stream.resume();
    stream.end('hello');
  });

async function served(settings: Parameters<typeof TestPath.with>[1] = {}): Promise<Served> {
  const pod = await answering();
  return { path: await TestPath.with(pod, settings), pod };
}

/** Of an honest client, on a session of its own: its status. */
async function statusOf({ path }: Served): Promise<unknown> {
  const session = connect(`http://127.0.0.1:${path.port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ...toRevision, ':path': '/other' });
  const [head] = await new Promise<unknown[]>((resolve, reject) => {
    stream.once('response', (...got) => resolve(got)).once('error', reject);
  });
  session.destroy();
  return typeof head === 'object' && head !== null && ':status' in head && head[':status'];
}

const head = (fields: typeof usualFields, flags = endHeaders, stream = 1): Buffer =>
  frame({ type: 'headers', flags, stream, payload: block(fields) });

const data = (text: string, flags = endStream): Buffer =>
  frame({ type: 'data', flags, stream: 1, payload: Buffer.from(text) });

describe('A stream that could be two requests', () => {
  it.each([
    ['less than its length says', [...usualFields, ['content-length', '10']], data('abc')],
    ['more than its length says', [...usualFields, ['content-length', '2']], data('abc')],
    [
      'two lengths',
      [...usualFields, ['content-length', '3'], ['content-length', '4']],
      data('abc'),
    ],
    ['an encoding of transfer', [...usualFields, ['transfer-encoding', 'chunked']], data('abc')],
    ['a header of a connection', [...usualFields, ['connection', 'x']], data('abc')],
    ['a name in capitals', [...usualFields, ['X-A', '1']], data('abc')],
    ['a line end in its path', [...usualFields, [':path', '/ HTTP/1.1\r\nx: 1']], data('abc')],
    ['two paths', [...usualFields, [':path', '/second']], data('abc')],
    ['a pseudo-header behind the others', [...usualFields, [':late', '1']], data('abc')],
    ['no path', usualFields.filter(([name]) => name !== ':path'), data('abc')],
  ] satisfies [string, (readonly [string, string])[], Buffer][])(
    'as it has %s is reset or refused, and no pod has it for whole',
    async (_, fields, body) => {
      const world = await served({ limit: 1 });
      const bytes: Buffer[] = [];
      const client = world.path.raw();
      client.socket.on('data', (chunk: Buffer) => bytes.push(chunk));
      client.write(Buffer.concat([preface, head(fields), body]));
      const isRefused = (): boolean =>
        client.isClosed || resetCodeIn(Buffer.concat(bytes)) !== undefined;
      await until(isRefused);
      await until(() => world.path.counted.underWay === 0);
      expect(world.path.counted.endings.answered).toBe(0);
      await expect(statusOf(world)).resolves.toBe(200);
    },
  );
});

describe('A header', () => {
  it.each([
    ['a line end in its value', 'x-a', '1\r\nx-b: 2'],
    ['a zero byte in its value', 'x-a', '1\0'],
    ['a line end in its name', 'x-a: 1\r\nx-b', '2'],
    ['a space in its name', 'x a', '1'],
  ])('that has %s reaches no pod', async (_, name, value) => {
    const seen: string[] = [];
    const pod = http2PodOf((stream, headers) => {
      seen.push(...Object.entries(headers).map((field) => field.join(': ')));
      stream.respond({ ':status': 200 });
      stream.end();
    });
    const path = await TestPath.with(pod);
    const fields = [...usualFields, [name, value], ['x-last', '1']] as const;
    path.raw().write(Buffer.concat([preface, head(fields, endHeaders | endStream)]));
    await until(() => path.counted.endings.answered === 1);
    expect(seen).toContain('x-last: 1');
    expect(seen.filter((field) => /^x.?[ab]/.test(field))).toEqual([]);
  });
});

describe('A session of HTTP/2', () => {
  it.each([
    ['nonsense behind its preface', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a frame that is too large', frame({ type: 'data', payload: Buffer.alloc(20_000) })],
    ['data of no stream', frame({ type: 'data', payload: Buffer.from('abc') })],
    ['data of a stream that never began', frame({ type: 'data', stream: 9 })],
    [
      'a head that cannot be read',
      frame({
        type: 'headers',
        flags: 5,
        stream: 1,
        payload: Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]),
      }),
    ],
    ['a stream of an even number', head(usualFields, endHeaders, 2)],
    [
      'another frame in the middle of a head',
      Buffer.concat([head(usualFields, 0), frame({ type: 'ping', payload: Buffer.alloc(8) })]),
    ],
    [
      'a window beyond all numbers',
      Buffer.concat(
        Array.from({ length: 2 }, () =>
          frame({ type: 'windowUpdate', payload: Buffer.from([0x7f, 0xff, 0xff, 0xff]) }),
        ),
      ),
    ],
  ])('that sends %s ends', async (_, bytes) => {
    const world = await served({ limits: { headerMs: 5_000 } });
    await world.path
      .raw()
      .write(Buffer.concat([preface, bytes]))
      .closed();
    expect(world.pod.seen).toBe(0);
    await expect(statusOf(world)).resolves.toBe(200);
  });

  it('whose first head does not end in time is closed (H-92)', async () => {
    const world = await served({ limits: { headerMs: 40 } });
    const client = new RawClient(world.path.port);
    onTestFinished(() => void client.socket.destroy());
    client.write(Buffer.concat([preface, head(usualFields, 0)]));
    await client.closed();
    expect(world.pod.seen).toBe(0);
  });

  it('whose head goes on and on is closed, and takes no memory for it', async () => {
    const world = await served();
    const client = world.path.raw();
    client.write(Buffer.concat([preface, head(usualFields, 0)]));
    const more = block([['x-a', 'x'.repeat(10_000)]]);
    for (let count = 0; count < 200 && !client.isClosed; count++) {
      client.write(frame({ type: 'continuation', stream: 1, payload: more }));
    }
    await client.closed();
    expect(world.pod.seen).toBe(0);
    await expect(statusOf(world)).resolves.toBe(200);
  });

  it('that begins and resets streams without end is closed, and every permit is back', async () => {
    const world = await served({ limit: 5 });
    const client = world.path.raw();
    client.write(preface);
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
    const pair = (stream: number): readonly Buffer[] => [
      head(usualFields, endHeaders, stream),
      frame({ type: 'reset', stream, payload: cancel }),
    ];
    // More than any burst that is allowed, in a moment.
    for (let first = 0; first < 100_000 && !client.isClosed; first += 5_000) {
      const streams = Array.from({ length: 5_000 }, (_, at) => 2 * (first + at) + 1);
      client.write(Buffer.concat(streams.flatMap(pair)));
      await turn();
    }
    await client.closed();
    await until(() => world.path.counted.underWay === 0);
    await expect(statusOf(world)).resolves.toBe(200);
  });

  it('that closes its half with requests under way has cancelled them', async () => {
    const path = await TestPath.start();
    const client = path.raw('', { allowHalfOpen: true });
    client.write(Buffer.concat([preface, head(usualFields, endHeaders | endStream)]));
    await until(() => path.counted.queued === 1);
    client.socket.end();
    await client.closed();
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.cancelled).toBe(1);
  });
});

describe('A client of HTTP/2', () => {
  it.each([
    ['a pod that answers early', {}, 413],
    ['nobody', { 'Knative-Serving-Revision': 'nobody' }, 404],
    ['a probe', { 'K-Network-Probe': 'other' }, 400],
  ])('that sends 10 MB to %s gets the answer', async (_, headers, status) => {
    const pod = http2PodOf((stream) => {
      stream.respond({ ':status': 413 });
      stream.end('too large');
    });
    const path = await TestPath.with(pod, { limit: 1 });
    const session = connect(`http://127.0.0.1:${path.port}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ...toRevision, ...headers, ':method': 'POST', ':path': '/' });
    stream.on('error', () => undefined);
    let got: unknown;
    stream.on('response', (answer) => {
      got = answer[':status'];
    });
    Readable.from(Array(160).fill(Buffer.alloc(65_536, 'x'))).pipe(stream);
    stream.resume();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(got).toBe(status);
    await until(() => path.counted.underWay === 0);
  });

  it('that reads nothing of its answer holds a pod no longer than its time', async () => {
    const pod = http2PodOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(Buffer.alloc(4 * 1_024 * 1_024, 'x'));
    });
    const path = await TestPath.with(pod, { limit: 1, rules: { maxMs: 300 } });
    const client = path.raw();
    client.write(Buffer.concat([preface, head(usualFields, endHeaders | endStream)]));
    await until(() => path.counted.received === 1 && path.counted.underWay === 0);
    expect([path.counted.endings.answered, path.counted.active]).toEqual([0, 0]);
  });
});
