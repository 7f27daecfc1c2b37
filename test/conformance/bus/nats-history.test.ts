// The JetStream stream of facts with a real server: made, made again, corrected, done without.
import { rmSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeFact } from '#bus/codec.ts';
import { historyStream } from '#bus/nats/history.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { factOf, key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { eventually, Stage, until } from './stage.ts';

describe.skipIf(natsSkip !== '')(`the history of facts${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());

  it('makes the stream again after a restart that wiped it', async () => {
    const first = await stage.start();
    const bus = await stage.joined({ servers: [first.url], history: { storage: 'file' } });
    await until(() => bus.state().history);
    bus.fact(factOf(key('a'), {}, 'f-1'));
    await storedFacts(first, 1);
    await stage.dies(first);
    rmSync(`${stage.folder}/jetstream`, { recursive: true });
    await until(() => !bus.state().connected);
    const second = await stage.start({ port: first.port });
    await until(() => bus.state().history);
    bus.fact(factOf(key('a'), {}, 'f-2'));
    expect(await storedFacts(second, 1)).toEqual(['f-2']);
  });

  it('makes the stream again when it was deleted, and corrects one that was changed', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url], history: { checkIntervalMs: 20 } });
    await until(() => bus.state().history);
    const admin = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(admin);
    await streams.delete(historyStream);
    await eventually(() => streams.info(historyStream));
    await streams.update(historyStream, { max_msgs: 5 });
    await eventually(async () => {
      expect((await streams.info(historyStream)).config.max_msgs).toBe(1_000_000);
    });
    await admin.close();
    expect(bus.state().history).toBe(true);
  });

  it('publishes without a stream where JetStream is off', async () => {
    const server = await stage.start({ settings: { jetstream: false } });
    const bus = await stage.joined({ servers: [server.url], history: { checkIntervalMs: 20 } });
    await until(() => bus.state().problem !== null);
    for (let i = 0; i < 100; i++) bus.fact(factOf(key('a')));
    await until(() => bus.state().published === 100);
    expect(bus.state()).toMatchObject({ connected: true, history: false });
  });
});

/** Ids of the facts in the stream, once there are as many. */
async function storedFacts(server: NatsServer, count: number): Promise<readonly string[]> {
  const stranger = await connect({ servers: server.url });
  const { streams } = await jetstreamManager(stranger);
  const ids = await eventually(async () => {
    const { state } = await streams.info(historyStream);
    expect(state.messages).toBe(count);
    const found: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const stored = await streams.getMessage(historyStream, { seq });
      const fact = decodeFact(stored?.data ?? new Uint8Array());
      found.push(fact.ok ? fact.value.id : fact.problem);
    }
    return found;
  });
  await stranger.close();
  return ids;
}
