// Following the pods of a gang: what is asked of the server, and the end of it.
import { describe, expect, it } from 'vitest';
import { followParents } from '#src/init/follow.ts';
import type { KubeTransport, WatchSink } from '#src/kube/transport/transport.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const pod = (name: string, isReady: boolean, version: string) => ({
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'demo',
    uid: name,
    resourceVersion: version,
    labels: { 'grove.io/podclique': 'a' },
  },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

/** A server with an empty list, whose watch the test speaks for. */
class Server implements KubeTransport {
  readonly asked: string[] = [];
  readonly log: string[] = [];
  sink: WatchSink | undefined;

  request: KubeTransport['request'] = ({ path }) => {
    this.asked.push(path);
    const body = { metadata: { resourceVersion: '1' }, items: [] };
    return Promise.resolve({ status: 200, headers: {}, body });
  };

  watch: KubeTransport['watch'] = (path, sink) => {
    this.asked.push(path);
    this.sink = sink;
    return () => void this.log.push('watch closed');
  };
}

async function follow(parents: ReadonlyMap<string, number>) {
  const server = new Server();
  const clock = new VirtualClock();
  const stop = followParents({
    transport: server,
    clock,
    random: seeded(1),
    log: () => {},
    namespace: 'demo',
    gang: 'demo-0',
    parents,
    met: () => void server.log.push('met'),
  });
  await clock.drain();
  return { server, stop };
}

describe('following the parents of a pod', () => {
  it('asks for their pods in their gang and namespace only', async () => {
    const { server, stop } = await follow(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    );
    const [list = '', watch = ''] = server.asked;
    expect(list).toMatch(/^\/api\/v1\/namespaces\/demo\/pods\?limit=100&/);
    for (const path of [list, watch]) {
      expect(new URLSearchParams(path.split('?')[1]).get('labelSelector')).toBe(
        'grove.io/podgang=demo-0,grove.io/podclique in (a,b)',
      );
    }
    stop();
  });

  it('with very many of them asks for the whole gang, as no URL takes their names', async () => {
    const many = Array.from({ length: 200 }, (_, index) => [`parent-${index}`, 1] as const);
    const { server, stop } = await follow(new Map(many));
    expect(new URLSearchParams(server.asked[0]?.split('?')[1]).get('labelSelector')).toBe(
      'grove.io/podgang=demo-0',
    );
    stop();
  });

  it('tells the end once, after its watch is closed, whatever still comes (10.1 rule 15)', async () => {
    const { server } = await follow(new Map([['a', 1]]));
    server.sink?.event({ type: 'ADDED', object: pod('p', true, '2') });
    server.sink?.event({ type: 'MODIFIED', object: pod('p', false, '3') });
    server.sink?.event({ type: 'MODIFIED', object: pod('p', true, '4') });
    expect(server.log).toEqual(['watch closed', 'met']);
  });

  it('without parents is over at once and asks nothing', async () => {
    const { server } = await follow(new Map());
    expect(server.log).toEqual(['met']);
    expect(server.asked).toEqual([]);
  });
});
