// The JetStream stream of facts with a real server: made, made again, corrected, done without.
import { rmSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Past } from '#actors/ports.ts';
import { decodeFact } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
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
    const said: string[] = [];
    const given = { servers: [server.url], history: { checkIntervalMs: 20 } };
    const bus = await stage.joined(given, (_, message) => said.push(message));
    await until(() => bus.state().history);
    const admin = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(admin);
    const asked = async (): Promise<number> =>
      (await jetstreamManager(admin)).getAccountInfo().then(({ api }) => api.total);
    // Several looks at a stream that is as it should be.
    const before = await asked();
    await eventually(async () => expect(await asked()).toBeGreaterThan(before + 8));
    await streams.delete(historyStream);
    await eventually(() => streams.info(historyStream));
    await streams.update(historyStream, { max_msgs: 5 });
    await eventually(async () => {
      expect((await streams.info(historyStream)).config.max_msgs).toBe(1_000_000);
    });
    await admin.close();
    expect(bus.state().history).toBe(true);
    await until(() => said.includes('updated the stream of facts'));
    expect(said.filter((message) => message.includes('stream'))).toEqual([
      'created the stream of facts',
      'created the stream of facts',
      'updated the stream of facts',
    ]);
  });

  it('publishes without a stream where JetStream is off', async () => {
    const server = await stage.start({ settings: { jetstream: false } });
    const bus = await stage.joined({ servers: [server.url], history: { checkIntervalMs: 20 } });
    await until(() => bus.state().problem !== null);
    for (let i = 0; i < 100; i++) bus.fact(factOf(key('a')));
    await until(() => bus.state().published === 100);
    expect(bus.state()).toMatchObject({ connected: true, history: false });
  });

  it('keeps what a quiet actor told, however much a busy one tells', async () => {
    const server = await stage.start();
    const most = { maxMessagesPerSubject: 5, maxMessages: 20 };
    const bus = await stage.joined({ servers: [server.url], history: most });
    await until(() => bus.state().history);
    bus.fact(factOf(key('quiet'), {}, 'q-1'));
    for (let i = 0; i < 200; i++) bus.fact(factOf(key('busy'), {}, `b-${i}`));
    const left = ['q-1', ...[195, 196, 197, 198, 199].map((i) => `b-${i}`)];
    await eventually(async () => expect(await storedFacts(server, 6)).toEqual(left));
  });

  describe('read of one actor', () => {
    const wanted = { limit: 3, before: undefined, until: 1_000, notBehind: undefined };
    const ids = (past: Past | undefined) => past?.facts.map(({ fact }) => fact.id);

    /** a-0 to a-9 with the facts of another actor between them. */
    async function filled() {
      const server = await stage.start();
      const bus = await stage.joined({ servers: [server.url] });
      await until(() => bus.state().history);
      for (let i = 0; i < 10; i++) {
        bus.fact({ ...factOf(key('a'), {}, `a-${i}`), at: i });
        bus.fact({ ...factOf(key('b'), {}, `b-${i}`), at: i });
      }
      await storedFacts(server, 20);
      return { server, bus };
    }

    it('is its facts alone, newest first, page by page', async () => {
      const { bus } = await filled();
      const first = await bus.past(key('a'), wanted);
      expect(ids(first)).toEqual(['a-9', 'a-8', 'a-7']);
      const second = await bus.past(key('a'), { ...wanted, before: first?.before });
      expect(ids(second)).toEqual(['a-6', 'a-5', 'a-4']);
      const rest = await bus.past(key('a'), { ...wanted, limit: 9, before: second?.before });
      expect(ids(rest)).toEqual(['a-3', 'a-2', 'a-1', 'a-0']);
      expect(rest?.before).toBeUndefined();
      expect(await bus.past(key('nobody'), wanted)).toEqual({ facts: [] });
    });

    it('ends before what is known already', async () => {
      const { bus } = await filled();
      expect(ids(await bus.past(key('a'), { ...wanted, until: 4 }))).toEqual(['a-4', 'a-3', 'a-2']);
      const behind = await bus.past(key('a'), { ...wanted, notBehind: 'a-2' });
      expect(ids(behind)).toEqual(['a-1', 'a-0']);
      const none = await bus.past(key('a'), { ...wanted, limit: 0, notBehind: 'a-2' });
      expect(none?.facts).toEqual([]);
      expect(ids(await bus.past(key('a'), { ...wanted, before: none?.before }))).toEqual([
        'a-1',
        'a-0',
      ]);
    });

    it('leaves no consumer behind', async () => {
      const { server, bus } = await filled();
      await Promise.all(['a', 'b', 'a'].map((name) => bus.past(key(name), wanted)));
      const admin = await connect({ servers: server.url });
      const { streams } = await jetstreamManager(admin);
      await eventually(async () => {
        expect((await streams.info(historyStream)).state.consumer_count).toBe(0);
      });
      await admin.close();
    });

    it('is nothing while there is no stream, or too many are read already', async () => {
      const { server, bus } = await filled();
      const all = Array.from({ length: busLimits.pastReads + 2 }, () => bus.past(key('a'), wanted));
      const found = (await Promise.all(all)).filter((past) => past === undefined);
      expect(found).toHaveLength(2);
      await stage.dies(server);
      await until(() => !bus.state().connected);
      expect(await bus.past(key('a'), wanted)).toBeUndefined();
    });
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
      // One that gave way to a later fact of its subject.
      if (stored === null) continue;
      const fact = decodeFact(stored.data);
      found.push(fact.ok ? fact.value.id : fact.problem);
    }
    return found;
  });
  await stranger.close();
  return ids;
}
