// Bad peers: 2,000 that connect and say nothing and 500 that send a byte a second, in a process of
// their own. They come from many addresses, or all from the address of those who behave.
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { probeRoutes } from '#src/http/probes.ts';
import { serve } from '#src/http/server.ts';
import { baseSet } from '#test/admission/examples.ts';
import { reviewOf, serveWebhooks } from '#test/admission/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { startPeers } from '#test/support/peers.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The first address of the peers. */
const shared = '127.1.0.0';
const crowds = [
  { from: 'many addresses', addresses: 500, localAddress: '127.0.0.1' },
  { from: 'the address of those who behave', addresses: 1, localAddress: shared },
];

const peers = async (port: number, tls: boolean, addresses: number) => {
  const crowd = await startPeers({ port, tls, silent: 2_000, slow: 500, addresses });
  ends.push(() => crowd.stop());
  return crowd;
};

describe('2,000 silent and 500 slow peers', { timeout: 300_000 }, () => {
  it.each(crowds)(
    'from $from hold up no two probes in a row',
    async ({ addresses, localAddress }) => {
      const routes = probeRoutes([{ name: 'event-loop', run: () => undefined }], []);
      const options = { host: '0.0.0.0', port: 0, name: 'health', setting: 'server.healthPort' };
      const server = await serve({ ...options, routes, onError: () => {} });
      ends.push(() => server.close());
      const crowd = await peers(server.port, false, addresses);
      const waits: number[] = [];
      // Until those that were cut off have come back.
      while (waits.length < 30 || (crowd.made() < 3_500 && waits.length < 300)) {
        waits.push(await probed(server.port, localAddress));
        await pause(100);
      }
      // A kubelet gives up a container after three in a row that take a second. On a busy machine
      // one may, whoever else is there.
      const pairs = waits.slice(1).map((wait, index) => Math.min(wait, waits[index] ?? 0));
      expect(Math.max(...pairs)).toBeLessThan(1_000);
      expect(crowd.made()).toBeGreaterThanOrEqual(3_500);
    },
  );

  it.each(crowds)(
    'from $from leave p99 of admission within three times of that without them',
    async ({ addresses, localAddress }) => {
      const { port, client } = await admission(localAddress);
      await p99(client);
      // On a busy machine one slow second is nobody's fault: the best of three rounds counts.
      const ratios: number[] = [];
      for (let round = 0; round < 3 && !ratios.some((ratio) => ratio <= 3); round++) {
        const alone = await p99(client);
        const crowd = await peers(port, true, addresses);
        await eventually('coming back', crowd.made, (made) => made > 2_700);
        ratios.push((await p99(client)) / alone);
        await crowd.stop();
      }
      expect(Math.min(...ratios)).toBeLessThanOrEqual(3);
    },
  );
});

/** Milliseconds of a probe on a connection of its own; rejects unless it is answered 200. */
function probed(port: number, localAddress: string): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const path = '/livez';
    const to = { host: '127.0.0.1', port, path, localAddress, agent: false, timeout: 10_000 };
    const request = get(to, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun);
        else reject(new Error(`answered ${response.statusCode}`));
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 10 s')));
    request.on('error', (cause) => reject(new Error('a probe was not answered', { cause })));
  });
}

async function admission(localAddress: string) {
  const {
    server,
    origin,
    agent: agentOf,
  } = await serveWebhooks({
    host: '0.0.0.0',
    onError: () => {},
  });
  ends.push(() => server.close());
  const path = '/webhooks/validate-podcliqueset';
  return {
    port: server.port,
    /** One that has no connection yet. */
    client: () => {
      const agent = agentOf({ connections: 8, localAddress });
      ends.push(() => agent.destroy());
      return async (): Promise<number> => {
        const begun = performance.now();
        const request = { origin, path, method: 'POST', body: review } as const;
        const answer = await agent.request(request).catch((cause: unknown) => {
          throw new Error('a review was not answered', { cause });
        });
        if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
        await answer.body.dump();
        return performance.now() - begun;
      };
    },
  };
}

const review = reviewOf(baseSet);

/** Of 100 requests a second for three seconds, over new connections; rejects when one fails. */
async function p99(client: () => () => Promise<number>): Promise<number> {
  const ask = client();
  const asked: Promise<number>[] = [];
  for (let index = 0; index < 300; index++) {
    const answered = ask();
    // Of many that fail the first is told; none is left alone until then.
    answered.catch(() => {});
    asked.push(answered);
    await pause(10);
  }
  const waits = (await Promise.all(asked)).toSorted((a, b) => a - b);
  return waits[Math.floor(waits.length * 0.99)] ?? 0;
}
