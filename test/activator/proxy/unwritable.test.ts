// What Node refuses to write, by whatever rule of its own: it costs the request, and neither the
// process nor a pod. Known cases are in bad-peers, trailers and twice; here Node throws on purpose.
import { ClientRequest, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hello, http2PodOf, podOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath, toRevision } from './support/path.ts';

const refused = (): never => {
  throw new TypeError('Node does not write this');
};

afterEach(() => {
  vi.restoreAllMocks();
});

async function nobodyIsHarmed(path: TestPath): Promise<void> {
  await until(() => path.counted.active === 0);
  await expect(path.ask()).resolves.toMatchObject({ status: 200 });
}

describe('An answer that Node does not write', () => {
  it.each(['GET / HTTP/1.1', 'OPTIONS * HTTP/1.1'])('costs %s alone', async (line) => {
    let count = 0;
    const pod = podOf((_, response) => void response.writeHead(++count === 1 ? 222 : 200).end());
    const path = await TestPath.with(pod, { limit: 1 });
    const { writeHead } = ServerResponse.prototype;
    vi.spyOn(ServerResponse.prototype, 'writeHead').mockImplementation(function (
      this: ServerResponse,
      ...given: Parameters<ServerResponse['writeHead']>
    ) {
      // What the pod writes has no fields.
      return given[0] === 222 && given.length > 1 ? refused() : writeHead.apply(this, given);
    });
    await expect(path.raw(`${line}\r\n${headLines}\r\n`).closed()).resolves.toBe('');
    expect(path.logged('an answer could not be passed on')).toHaveLength(1);
    await nobodyIsHarmed(path);
  });

  it.each(['respond', 'sendTrailers'] as const)('costs one of HTTP/2 alone: %s', async (method) => {
    let isSpied = false;
    let calls = 0;
    const pod = await http2PodOf((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }));
      if (!isSpied) {
        isSpied = true;
        const own = Object.getPrototypeOf(stream);
        const proto: Record<string, (...given: unknown[]) => unknown> =
          method === 'respond' ? own : Object.getPrototypeOf(own);
        const original = proto[method];
        vi.spyOn(proto, method).mockImplementation(function (this: unknown, ...given: unknown[]) {
          // The pod writes first, then the activator.
          calls += 1;
          if (calls === (method === 'respond' ? 1 : 2)) refused();
          return original?.apply(this, given);
        });
      }
      stream.end('hello');
    });
    const path = await TestPath.with(pod, { limit: 1 });
    const session = connect(`http://127.0.0.1:${path.port}`);
    onTestFinished(() => session.destroy());
    const asked = session.request({ ':path': '/', ...toRevision });
    const code = await new Promise((resolve) => {
      asked.resume().on('error', () => undefined);
      asked.on('close', () => resolve(asked.rstCode));
    });
    expect(code).not.toBe(0);
    await until(() => path.counted.active === 0);
    expect(path.logged('an answer could not be passed on')).toHaveLength(1);
  });
});

describe('Trailers of a request that Node does not write', () => {
  it('cost it alone', async () => {
    const path = await TestPath.with(podOf(hello), { limit: 1 });
    vi.spyOn(ClientRequest.prototype, 'addTrailers').mockImplementationOnce(refused);
    const chunks = '2\r\nhi\r\n0\r\nX-Check: ok\r\n\r\n';
    const head = `POST / HTTP/1.1\r\n${headLines}Trailer: X-Check\r\nTransfer-Encoding: chunked\r\n`;
    await path.raw(`${head}\r\n${chunks}`).until('502');
    await nobodyIsHarmed(path);
  });
});
