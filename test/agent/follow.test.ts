// Following one object: what is asked of the server, and what follows each end of a watch.
import { describe, expect, it } from 'vitest';
import { follow } from '#src/agent/follow.ts';
import type { KubeResponse, KubeTransport, WatchSink } from '#src/kube/transport/transport.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const object = (version: string) => ({ metadata: { name: 'x', resourceVersion: version } });
const status = (code: number): KubeResponse => ({
  status: code,
  headers: {},
  body: { kind: 'Status', code, message: `status ${code}` },
});

class Server implements KubeTransport {
  readonly asked: string[] = [];
  readonly answers: (KubeResponse | Error)[] = [];
  sink: WatchSink | undefined;
  closed = 0;

  request: KubeTransport['request'] = ({ path }) => {
    this.asked.push(`list ${path}`);
    const body = { metadata: { resourceVersion: '5' }, items: [object('3')] };
    const answer = this.answers.shift() ?? { status: 200, headers: {}, body };
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };

  watch: KubeTransport['watch'] = (path, sink) => {
    this.asked.push(`watch ${new URLSearchParams(path.split('?')[1]).get('resourceVersion')}`);
    this.sink = sink;
    return () => void this.closed++;
  };

  tell(type: string, version: string): void {
    this.sink?.event({ type, object: object(version) });
  }

  end(error?: unknown): void {
    this.sink?.closed(error === undefined ? { kind: 'ended' } : { kind: 'ended', error });
  }
}

async function start(...answers: readonly (KubeResponse | Error)[]) {
  const server = new Server();
  server.answers.push(...answers);
  const clock = new VirtualClock();
  const seen: unknown[] = [];
  const said: string[] = [];
  const stop = follow({
    transport: server,
    clock,
    random: seeded(1),
    log: (_level, message, { problem = '' }) => void said.push(`${message} ${String(problem)}`),
    collection: '/things',
    name: 'x.y',
    seen: (one) => void seen.push(one),
  });
  await clock.drain();
  return {
    server,
    clock,
    seen,
    said,
    stop,
    kinds: () => server.asked.map((one) => one.split('?')[0]),
  };
}

describe('following an object', () => {
  it('lists it by its name alone and watches from there', async () => {
    const { server, clock, seen } = await start();
    expect(server.asked).toEqual(['list /things?fieldSelector=metadata.name%3Dx.y', 'watch 5']);
    server.tell('MODIFIED', '6');
    server.tell('BOOKMARK', '9');
    server.tell('DELETED', '10');
    await clock.advance(45_000);
    expect(seen).toEqual([object('3'), object('6'), undefined]);
  });

  it('goes on where a watch ended or broke, without a list', async () => {
    const { server, clock, kinds } = await start();
    await clock.advance(40_000);
    server.tell('MODIFIED', '6');
    server.end();
    await clock.drain();
    server.end(new Error('reset'));
    await clock.advance(10);
    expect(kinds()).toEqual(['list /things', 'watch 5', 'watch 6', 'watch 6']);
  });

  it('lists again where the version is too old, or the watch falls silent', async () => {
    const { server, clock, kinds } = await start();
    server.sink?.event({ type: 'ERROR', object: status(410).body });
    await clock.advance(10);
    expect(kinds().slice(2)).toEqual(['list /things', 'watch 5']);
    await clock.advance(60_000);
    expect(kinds().slice(4)).toEqual(['list /things', 'watch 5']);
  });

  it('is patient with a server that is away or refuses watches: no hot loop', async () => {
    const { server, clock, seen } = await start(new Error('refused'), status(503), status(403));
    await clock.advance(100);
    expect(seen).toEqual([object('3')]);
    for (let round = 0; round < 40; round++) {
      server.sink?.closed({ kind: 'refused', response: status(403) });
      await clock.advance(1_000);
    }
    const { length } = server.asked;
    expect(length).toBeLessThan(50);
  });

  it('says once that watches are refused, and once that they are not any more', async () => {
    const { server, clock, said, kinds } = await start();
    for (let round = 0; round < 10; round++) {
      server.sink?.closed({ kind: 'refused', response: status(403) });
      await clock.advance(8_000);
    }
    expect(kinds().filter((kind) => kind === 'list /things')).toHaveLength(11);
    expect(said).toEqual(['cannot follow the object status 403 (403)']);
    await clock.advance(30_000);
    server.end();
    await clock.drain();
    server.end(new Error('reset'));
    await clock.drain();
    expect(said.slice(1)).toEqual([
      'the API server answers again ',
      'cannot follow the object reset',
    ]);
  });

  it('that was stopped tells nothing more', async () => {
    const { server, clock, seen, stop } = await start();
    stop();
    server.tell('MODIFIED', '6');
    await clock.advance(120_000);
    expect(seen).toEqual([object('3')]);
    expect(server.closed).toBe(1);
    expect(clock.pending).toBe(0);
  });
});
