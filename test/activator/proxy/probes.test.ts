// Requests that are about the activator itself: answered before anybody looks for a revision.
import { describe, expect, it } from 'vitest';
import { hello, podOf } from './support/backends.ts';
import { TestPath } from './support/path.ts';

const kubelet = { 'User-Agent': 'kube-probe/1.34' };

describe('A probe (H-80, H-97, H-98, H-137)', () => {
  it.each([
    ['of the kubelet, by its user agent', kubelet, 200, ''],
    ['of the kubelet, by its header', { 'K-Kubelet-Probe': 'queue' }, 200, ''],
    ['of the network', { 'K-Network-Probe': 'probe', 'K-Network-Hash': 'abc' }, 200, ''],
    ['of the autoscaler', { 'K-Network-Probe': 'activator' }, 200, 'activator'],
    [
      'of the network without a hash',
      { 'K-Network-Probe': 'probe' },
      400,
      'a probe request must contain a non-empty "K-Network-Hash" header\n',
    ],
    [
      'for somebody else, whose name is escaped',
      { 'K-Network-Probe': '<b>"queue"&\'' },
      400,
      'unexpected probe header value: "&lt;b&gt;&#34;queue&#34;&amp;&#39;"\n',
    ],
  ])('%s never reaches a pod, a queue or a count', async (_, headers, status, body) => {
    const pod = await podOf(hello);
    const lines: string[] = [];
    const requestLog = {
      template: '{{.Response.Code}}',
      write: (line: string) => lines.push(line),
    };
    const path = await TestPath.with(pod, { requestLog });
    await expect(path.ask({ headers })).resolves.toMatchObject({ status, body });
    expect([pod.seen, path.demand, path.counted.received, lines]).toEqual([0, [], 0, []]);
  });

  it('of the network gets its hash back', async () => {
    const path = await TestPath.start();
    const got = await path.ask({
      headers: { 'K-Network-Probe': 'probe', 'K-Network-Hash': 'abc' },
    });
    expect(got.headers['k-network-hash']).toBe('abc');
  });

  it('with an empty value is a request', async () => {
    const pod = await podOf(hello);
    const path = await TestPath.with(pod);
    await path.ask({ headers: { 'K-Network-Probe': '' } });
    expect(pod.seen).toBe(1);
  });

  it('of the kubelet that fails says why, and so does the log (H-96)', async () => {
    const path = await TestPath.start({ health: (probed) => `${probed}: no connection yet` });
    await expect(path.ask({ path: '/readyz', headers: kubelet })).resolves.toMatchObject({
      status: 500,
      body: '/readyz: no connection yet\n',
    });
    expect(path.logged('is not well')).toEqual([{ why: '/readyz: no connection yet' }]);
  });
});
