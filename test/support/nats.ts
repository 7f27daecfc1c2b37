// A real nats-server for tests, in a directory of its own that goes with it; and why there is none.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NatsBus } from '#bus/nats/bus.ts';
import type { NatsOptions } from '#bus/nats/options.ts';
import { natsOptions } from '#bus/nats/options.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import type { NatsServer, NatsServerOptions } from '#src/natsserver/process.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';

type Found = { readonly path: string } | { readonly path: null; readonly reason: string };

async function find(): Promise<Found> {
  try {
    return { path: (await findNatsServer()).path };
  } catch (error) {
    return { path: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

const found = await find();

/** Put at the end of a describe's title: empty, or why its tests are skipped. */
export const natsSkip = found.path === null ? ` [skipped: ${found.reason}]` : '';

/** A folder that exists for as long as the test wants it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'coppice-nats-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a server on any free port, or as the options say. */
export function startTestServer(
  options: Partial<NatsServerOptions> & { readonly dataDir: string },
): Promise<NatsServer> {
  if (found.path === null) throw new Error(found.reason);
  return startNatsServer({ binary: found.path, ...options });
}

/** Impatient, so that tests are quick. */
const quick: Partial<NatsOptions> = {
  connectTimeoutMs: 1_000,
  reconnectWaitMs: 20,
  reconnectJitterMs: 10,
  pingIntervalMs: 100,
};

export function testBus(
  given: Parameters<typeof natsOptions>[0],
  log: (level: string, message: string, fields: object) => void = () => undefined,
): NatsBus {
  return new NatsBus(natsOptions({ ...quick, ...given }), {
    clock: systemClock,
    random: systemRandom,
    ids: systemIds(),
    about: { version: '1.2.3', pod: 'coppice-0' },
    log,
  });
}
