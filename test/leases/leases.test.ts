// What the configuration makes of the leases of a process: its name, their namespace, their times.
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { createLeases, processLeases } from '#src/leases/leases.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const times = { durationSeconds: 15, renewSeconds: 10, retrySeconds: 2 };
const usual = { ...times, enabled: true, namespace: undefined, identity: undefined };

interface Given {
  readonly identity?: string;
  readonly namespace?: string;
  readonly host?: string;
  readonly retrySeconds?: number;
}

/** Nothing that is asked is answered. */
function made({ host = 'pod-1', ...given }: Given = {}) {
  const clock = new VirtualClock();
  const requests: KubeRequest[] = [];
  const keeper = createLeases({
    configuration: { shards: 4, leases: { ...usual, ...given } },
    namespace: 'ours',
    transport: {
      request: (request) => {
        requests.push(request);
        return new Promise(() => {});
      },
      watch: () => () => {},
    },
    clock,
    log: () => {},
    host,
    unique: () => 'x7',
  });
  return { clock, requests, keeper };
}

describe('The leases of a process', () => {
  it('are none where the configuration has none', () => {
    const configuration = { leases: { ...usual, enabled: false }, shards: 4 };
    expect(processLeases({ configuration } as never)).toBeUndefined();
  });

  it.each([
    [{}, 'pod-1-x7'],
    [{ identity: 'mine' }, 'mine-x7'],
    [{ host: 'Node_A.example.com' }, 'node-a-example-com-x7'],
    [{ host: '..lab..9..' }, 'lab-9-x7'],
    [{ host: '---' }, 'process-x7'],
    [{ host: 'h'.repeat(201) }, `${'h'.repeat(200)}-x7`],
  ])('have for %j the name %s', (given, name) => {
    expect(made(given).keeper.state().member).toBe(name);
  });

  it.each([
    [{}, 'ours'],
    [{ namespace: 'theirs' }, 'theirs'],
  ])('are for %j in the namespace %s', (given, namespace) => {
    const { keeper, requests } = made(given);
    keeper.start();
    expect(requests[0]?.path).toContain(`/namespaces/${namespace}/leases?`);
  });

  it.each([1, 2])('are asked for again where nobody answers within %i s', async (retrySeconds) => {
    const { keeper, requests, clock } = made({ retrySeconds });
    keeper.start();
    await clock.advance(retrySeconds * 1000 - 1);
    expect(requests[0]?.signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(requests[0]?.signal?.aborted).toBe(true);
    await clock.advance(249);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
  });

  it('hold nothing before they were heard of', () => {
    const { keeper } = made();
    expect(keeper.shards).toBe(4);
    expect(keeper.holds(0)).toBe(false);
  });
});
