// Fields by HTTP/2 that come twice though they should come once: they pass as they came. Node would
// throw for them, in a callback, which nobody catches.
import { connect } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { http2PodOf, type Pod, rawPodOf } from './support/backends.ts';
import { RawClient } from './support/client.ts';
import {
  block,
  endHeaders,
  endStream,
  frame,
  isAsked,
  preface,
  usualFields,
} from './support/frames.ts';
import { TestPath, toRevision } from './support/path.ts';

type Fields = typeof usualFields;

const twice: Fields = [
  ['etag', 'one'],
  ['etag', 'two'],
];

const head = (fields: Fields, flags = 0): Buffer =>
  frame({ type: 'headers', flags: flags | endHeaders, stream: 1, payload: block(fields) });

const body = frame({ type: 'data', stream: 1, payload: Buffer.from('abc') });

describe('A request by HTTP/2 with a field twice', () => {
  it.each([
    ['its head', [head([...usualFields, ...twice], endStream)]],
    ['its trailers', [head(usualFields), body, head(twice, endStream)]],
  ])('in %s is answered', async (_, frames) => {
    const pod = await http2PodOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.resume().on('end', () => stream.end('hello'));
    });
    const path = await TestPath.with(pod);
    const client = new RawClient(path.port);
    onTestFinished(() => void client.socket.destroy());
    await client.write(Buffer.concat([preface, ...frames])).until('hello');
  });
});

/** Says what it is told to whoever asks on a new session. */
const saying = (frames: readonly Buffer[]): Promise<Pod> =>
  rawPodOf((socket) => {
    let received = Buffer.alloc(0);
    socket.write(frame({ type: 'settings' }));
    socket.on('data', (chunk: Buffer) => {
      const was = isAsked(received);
      received = Buffer.concat([received, chunk]);
      if (!was && isAsked(received)) socket.write(Buffer.concat(frames));
    });
  });

describe('An answer by HTTP/2 with a field twice', () => {
  const ok: Fields = [[':status', '200']];

  it.each([
    ['its head', [head([...ok, ...twice], endStream)]],
    ['its trailers', [head(ok), body, head(twice, endStream)]],
    ['its early hints', [head([[':status', '103'], ...twice]), head(ok, endStream)]],
  ])('in %s arrives', async (_, frames) => {
    const path = await TestPath.with(saying(frames));
    const session = connect(`http://127.0.0.1:${path.port}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ...toRevision, ':path': '/' });
    const told: unknown[] = [];
    await new Promise((resolve) => {
      stream.on('headers', ({ etag }) => told.push(etag));
      stream.on('response', ({ ':status': status, etag }) => told.push(status, etag));
      stream.on('trailers', ({ etag }) => told.push(etag));
      stream.on('error', (error) => told.push(error)).on('close', resolve);
      stream.resume();
    });
    expect(told).toContain(200);
    expect(told).toContain('one');
  });
});
