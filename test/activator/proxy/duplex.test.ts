// Answers that begin before their request has been sent whole, by HTTP/1.1.
import { describe, expect, it } from 'vitest';
import { type Pod, podOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

const post = (length: number): string =>
  `POST / HTTP/1.1\r\n${headLines}Content-Length: ${length}\r\n\r\n`;

/** Echoes each piece when it comes. */
const echoing = (): Promise<Pod> =>
  podOf((request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    request.pipe(response);
  });

describe('A revision with the annotation for full duplex', () => {
  it('answers while its client sends, and the connection is kept (H-88)', async () => {
    const path = await TestPath.with(echoing(), { rules: { isFullDuplex: true } });
    const client = path.raw(post(9));
    await client.until('\r\n\r\n');
    for (const piece of ['one', 'two', 'six']) {
      client.write(piece);
      await client.until(piece);
    }
    await client.until('0\r\n\r\n');
    expect(client.text.toLowerCase()).not.toContain('connection: close');
    client.write(post(4)).write('last');
    await client.until(/last.*0\r\n\r\n/s);
  });

  it('that has answered in full leaves the rest of a request unread, and the next one is served', async () => {
    const pod = podOf((_, response) => void response.end('early'));
    const path = await TestPath.with(pod, { rules: { isFullDuplex: true } });
    const client = path.raw(post(200_000));
    await client.until('early');
    client.write('x'.repeat(200_000)).write(post(1)).write('y');
    await client.until(/early.*early/s);
    expect(path.counted.endings.answered).toBe(2);
  });
});

describe('A revision without it', () => {
  it('answers as early, and the connection ends with the answer (H-88)', async () => {
    const path = await TestPath.with(echoing());
    const client = path.raw(post(6)).write('one');
    await client.until('one');
    expect(client.text.toLowerCase()).toContain('connection: close');
    client.write('two');
    await client.closed();
    expect(client.text).toMatch(/two.*0\r\n\r\n$/s);
    await until(() => path.counted.underWay === 0);
  });
});
