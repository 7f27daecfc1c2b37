// A watch leaves others a turn of the event loop, over real HTTPS; how often, is shown with a pool
// that hands over pieces of a known size.
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { bytesPerTurn } from '#src/kube/limits.ts';
import { exchange } from '#src/kube/transport/exchange.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { connect, nextTurn, startServer } from '../support/https-server.ts';

const objects = 20;

test('two large objects of a watch are never read in one turn', async () => {
  const authority = await createAuthority('test authority', systemClock.now());
  const line = `${JSON.stringify({ type: 'ADDED', object: { text: 'x'.repeat(600_000) } })}\n`;
  const server = await startServer(authority, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(line.repeat(objects));
  });
  const transport = connect({ server: server.url }, authority.cert);
  let now = 0;
  const turns: number[] = [];
  const ends: unknown[] = [];
  transport.watch('/', { event: () => turns.push(now), closed: (end) => ends.push(end) });
  for (; ends.length === 0; now++) await nextTurn();
  expect(turns).toHaveLength(objects);
  expect(new Set(turns).size).toBe(objects);
});

test('many small pieces of a watch are read in one turn', async () => {
  const piece = Buffer.alloc(bytesPerTurn / 4);
  const pauses: number[] = [];
  let [read, resumed] = [0, 0];
  const controller = { pause: () => pauses.push(read), resume: () => resumed++ };
  const pool = {
    dispatch: (_: unknown, reader: Required<Dispatcher.DispatchHandler>) => {
      reader.onResponseStart(controller as never, 200, {});
      for (let times = 0; times < 11; times++) reader.onResponseData(controller as never, piece);
      reader.onResponseEnd(controller as never, {});
    },
  };
  const onData = () => read++;
  await exchange(pool as never, { method: 'GET', path: '/' }, { onData });
  await nextTurn();
  expect({ read, pauses, resumed }).toEqual({ read: 11, pauses: [4, 8], resumed: 2 });
});
