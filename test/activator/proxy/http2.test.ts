// Requests by HTTP/2, with prior knowledge or after TLS: they go to pods by HTTP/2, and streams,
// trailers and resets pass both ways.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { http2PodOf, type StreamHandler } from './support/backends.ts';
import { until } from './support/client.ts';
import { TestPath, toRevision } from './support/path.ts';

const headers = {
  ...Object.fromEntries(
    Object.entries(toRevision).map(([name, value]) => [name.toLowerCase(), value]),
  ),
};

function sessionWith({ port }: { readonly port: number }): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

interface Answer {
  readonly head: Readonly<Record<string, unknown>>;
  readonly flags: number;
  readonly body: string;
  readonly trailers: Readonly<Record<string, unknown>>;
  readonly code: number | undefined;
}

/** Resolves when the stream has closed. */
const answerOf = (stream: ClientHttp2Stream): Promise<Answer> =>
  new Promise((resolve) => {
    let head: Answer['head'] = {};
    let trailers: Answer['trailers'] = {};
    let [flags, body] = [0, ''];
    stream.on('response', (got, given) => {
      head = { ...got };
      flags = given;
    });
    stream.on('trailers', (got) => {
      trailers = { ...got };
    });
    stream.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    stream.on('error', () => undefined);
    stream.on('close', () => resolve({ head, flags, body, trailers, code: stream.rstCode }));
  });

const echoStream: StreamHandler = (stream, seen) => {
  stream.respond({ ':status': 200, 'x-seen': JSON.stringify(seen) }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.pipe(stream);
};

describe('A request by HTTP/2', () => {
  it('goes to its pod by HTTP/2, with trailers after the answer', async () => {
    const path = await TestPath.with(http2PodOf(echoStream));
    const stream = sessionWith(path).request({
      ...headers,
      ':method': 'POST',
      ':path': '/svc/Method?q',
      ':authority': 'hello.example',
      te: 'trailers',
    });
    stream.end('ping');
    const { head, body, trailers } = await answerOf(stream);
    expect([head[':status'], body, trailers['grpc-status']]).toEqual([200, 'ping', '0']);
    const seen: unknown = JSON.parse(String(head['x-seen']));
    expect(seen).toMatchObject({
      ':path': '/svc/Method?q',
      te: 'trailers',
      'k-original-host': 'hello.example',
      'k-proxy-request': 'activator',
      'x-forwarded-for': '127.0.0.1',
    });
    expect(seen).not.toHaveProperty('knative-serving-revision');
  });

  it('streams both ways at once, message by message (H-84) (H-88)', async () => {
    const path = await TestPath.with(http2PodOf(echoStream));
    const stream = sessionWith(path).request({ ...headers, ':method': 'POST', ':path': '/' });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    for (const message of ['one', 'two', 'three']) {
      stream.write(message);
      await until(() => text.endsWith(message));
    }
    stream.end();
    await expect(answerOf(stream)).resolves.toMatchObject({ code: constants.NGHTTP2_NO_ERROR });
  });

  it('brings its trailers', async () => {
    const pod = http2PodOf((stream) => {
      let trailers = {};
      stream.on('trailers', (got) => {
        trailers = { ...got };
      });
      stream.resume().on('end', () => {
        stream.respond({ ':status': 200 });
        stream.end(JSON.stringify(trailers));
      });
    });
    const path = await TestPath.with(pod);
    const stream = sessionWith(path).request(
      { ...headers, ':method': 'POST', ':path': '/' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-check': 'ok' }));
    stream.end('x');
    const { body } = await answerOf(stream);
    expect(JSON.parse(body)).toMatchObject({ 'x-check': 'ok' });
  });

  it('gets an answer of a head alone as that, which gRPC needs', async () => {
    const pod = http2PodOf((stream) => {
      stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true });
    });
    const path = await TestPath.with(pod);
    const { head, flags } = await answerOf(sessionWith(path).request({ ...headers, ':path': '/' }));
    expect(head['grpc-status']).toBe('12');
    expect(flags & constants.NGHTTP2_FLAG_END_STREAM).not.toBe(0);
  });

  it('that its client resets is reset at the pod, or leaves the queue', async () => {
    const codes: (number | undefined)[] = [];
    const pod = await http2PodOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun');
      stream.on('close', () => codes.push(stream.rstCode));
    });
    const path = await TestPath.start();
    const session = sessionWith(path);
    const queued = session.request({ ...headers, ':path': '/' });
    await until(() => path.counted.queued === 1);
    queued.close(constants.NGHTTP2_CANCEL);
    await until(() => path.counted.queued === 0);
    await path.add(pod);
    const running = session.request({ ...headers, ':path': '/' });
    await new Promise((resolve) => {
      running.once('data', resolve);
    });
    running.close(constants.NGHTTP2_CANCEL);
    await until(() => codes.length === 1);
    expect(codes).toEqual([constants.NGHTTP2_CANCEL]);
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.cancelled).toBe(2);
  });

  it('whose pod resets the answer is reset, and one that got none hears 502', async () => {
    let isFirst = true;
    const pod = http2PodOf((stream) => {
      if (!isFirst) return void stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      isFirst = false;
      // Without it Node ends the stream as if all were well, and resets it then.
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.write('part', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    });
    const path = await TestPath.with(pod);
    const session = sessionWith(path);
    const cut = await answerOf(session.request({ ...headers, ':path': '/' }));
    expect(cut.code).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    const refused = await answerOf(session.request({ ...headers, ':path': '/' }));
    expect([refused.head[':status'], refused.body]).toEqual([502, 'bad gateway']);
  });

  it('is answered with 504 at the end of its time, and cut if its answer has begun (H-110)', async () => {
    const pod = http2PodOf((stream, { ':path': asked }) => {
      if (asked !== '/begins') return;
      stream.respond({ ':status': 200 });
      stream.write('begun ');
    });
    const path = await TestPath.with(pod, { rules: { maxMs: 40 } });
    const session = sessionWith(path);
    const none = await answerOf(session.request({ ...headers, ':path': '/' }));
    expect([none.head[':status'], none.body]).toEqual([504, 'activator request timeout']);
    const cut = await answerOf(session.request({ ...headers, ':path': '/begins' }));
    expect(cut.code).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  });

  it('shares a session with others, and gets a further one where that is full', async () => {
    const ends: (() => void)[] = [];
    const pod = await http2PodOf((stream) => {
      stream.respond({ ':status': 200 });
      ends.push(() => stream.end());
    });
    const path = await TestPath.with(pod, { podLimits: { streams: 2 } });
    const session = sessionWith(path);
    const streams = Array.from({ length: 4 }, () => session.request({ ...headers, ':path': '/' }));
    const answers = streams.map(answerOf);
    await until(() => ends.length === 4);
    expect(pod.connections).toBe(2);
    for (const end of ends) end();
    await Promise.all(answers);
    await answerOf(session.request({ ...headers, ':path': '/' }).on('response', () => ends[4]?.()));
    expect(pod.connections).toBe(2);
  });

  it('for an unknown revision, or that is a probe, is answered as by HTTP/1.1', async () => {
    const path = await TestPath.start();
    const session = sessionWith(path);
    const unknown = { ...headers, 'knative-serving-revision': 'nobody' };
    const missing = await answerOf(session.request({ ...unknown, ':path': '/' }));
    expect(missing.head[':status']).toBe(404);
    const probe = { ':path': '/', 'k-network-probe': 'activator' };
    await expect(answerOf(session.request(probe))).resolves.toMatchObject({ body: 'activator' });
  });

  it('ends with its session when its client is gone, and so do all others on it', async () => {
    const path = await TestPath.start();
    const session = sessionWith(path);
    for (let count = 0; count < 10; count++) {
      session.request({ ...headers, ':path': '/' }).on('error', () => undefined);
    }
    await until(() => path.counted.queued === 10);
    session.destroy();
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.cancelled).toBe(10);
  });

  it('whose dial is given up leaves nothing behind', async () => {
    const path = await TestPath.start();
    const nobody = { dest: '192.0.2.1:9' };
    const leave = path.pods.sessions.take(nobody.dest, () => undefined);
    expect(path.pods.sessions.size).toBe(1);
    leave();
    expect(path.pods.sessions.size).toBe(0);
  });
});

describe('A session of HTTP/2', () => {
  it('that begins no request in time is closed (H-92)', async () => {
    const path = await TestPath.start({ limits: { headerMs: 40 } });
    const session = sessionWith(path);
    await until(() => session.destroyed);
  });

  it('with a head that is too large loses that stream alone', async () => {
    const path = await TestPath.with(http2PodOf(echoStream), { limits: { headerBytes: 4_096 } });
    const session = sessionWith(path);
    const large = session.request({ ...headers, ':path': '/', 'x-a': 'x'.repeat(10_000) });
    const { head } = await answerOf(large);
    expect(head[':status']).toBe(431);
    const other = sessionWith(path).request({ ...headers, ':path': '/' });
    await expect(answerOf(other)).resolves.toMatchObject({ code: 0 });
  });
});
