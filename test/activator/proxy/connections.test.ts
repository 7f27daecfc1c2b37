// Connections to pods: used again while they are good, and no more of them than may idle.
import { describe, expect, it } from 'vitest';
import { dialLimits } from '#src/activator/proxy/dial.ts';
import { hello, type Pod, podOf, rawPodOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { TestPath } from './support/path.ts';

describe('A connection to a pod', () => {
  const connectionsOf = async (pod: Pod, path: TestPath): Promise<number> => {
    for (let count = 0; count < 5; count++) await path.ask();
    return pod.connections;
  };

  it('is used again, and shared with probes (H-52) (H-87)', async () => {
    const pod = await podOf(hello);
    const path = await TestPath.with(pod);
    const signal = new AbortController().signal;
    await path.pods.probe(pod.dest, { path: '/healthz', headers: {}, signal });
    await expect(connectionsOf(pod, path)).resolves.toBe(1);
  });

  it('is used again after probes with long answers: each is read to its end (H-67)', async () => {
    const pod = await podOf((_, response) => void response.end('x'.repeat(200_000)));
    const path = await TestPath.with(pod);
    const signal = new AbortController().signal;
    for (let count = 0; count < 5; count++) {
      const reply = await path.pods.probe(pod.dest, { path: '/', headers: {}, signal });
      expect(reply.body).toHaveLength(4_096);
    }
    expect(pod.connections).toBe(1);
  });

  it('is closed where fewer may idle (H-90)', async () => {
    // A busy machine dials once more.
    const podLimits = { idlePerPod: 0, dial: { ...dialLimits, firstMs: 10_000 } };
    const pod = await podOf(hello);
    const path = await TestPath.with(pod, { podLimits });
    await expect(connectionsOf(pod, path)).resolves.toBe(5);
    expect(path.pods.figures).toEqual({ connections: 0, idle: 0 });
  });

  it('that a pod closes after its answer is not used again', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
    const pod = rawPodOf((socket) => void socket.once('data', () => socket.end(answer)));
    const path = await TestPath.with(pod);
    for (let count = 0; count < 3; count++) {
      await expect(path.ask()).resolves.toMatchObject({ body: 'hi' });
      await until(() => path.pods.figures.idle === 0);
    }
  });
});
