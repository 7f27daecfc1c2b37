// A watch leaves others a turn of the event loop, over real HTTPS.
import { expect, test } from 'vitest';
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
