// The clique agent and a real NATS server, with a responder that stands in for the controller.
import { readFileSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import type { ConnectionOptions, Msg, NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { formatSubject } from '#bus/subjects.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip, startTestServer, temporaryFolder } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import type { Agent } from './agents.ts';
import { clique, daemonsOf, Stage } from './stage.ts';

// Each starts processes one after the other, on machines that do much else.
vi.setConfig({ testTimeout: 90_000 });

const stage = new Stage();
const folders: ReturnType<typeof temporaryFolder>[] = [];
const servers: NatsServer[] = [];
const connections: NatsConnection[] = [];
beforeAll(() => stage.start(), 60_000);
afterEach(() => stage.removeClique());
afterAll(async () => {
  await stage.end();
  await Promise.all(connections.map((connection) => connection.close()));
  await Promise.all(servers.map((server) => server.stop()));
  for (const folder of folders) folder.remove();
});

async function serve(port = 0, settings: JsonObject = {}): Promise<NatsServer> {
  const folder = temporaryFolder();
  folders.push(folder);
  const server = await startTestServer({ dataDir: folder.path, port, settings });
  servers.push(server);
  return server;
}

interface Asked {
  readonly subject: string;
  readonly payload: Json;
}

/** Answers as told, one answer after the other, the last one for ever. */
async function respond(
  options: ConnectionOptions,
  ...answers: readonly JsonObject[]
): Promise<readonly Asked[]> {
  const connection = await connect(options);
  connections.push(connection);
  const asked: Asked[] = [];
  const answer = (message: Msg): void => {
    const next = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ subject: message.subject, payload: message.json<Json>() });
    message.respond(JSON.stringify({ v: 1, ...next }));
  };
  connection.subscribe('coppice.ask.clique.>', {
    callback: (error, message) => {
      if (error === null) answer(message);
    },
  });
  await connection.flush();
  return asked;
}

async function stop({ program }: Agent): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
}

describe(`the clique agent with NATS${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')(
    'asks until it is let in, starts IMEX by the answer and writes nothing (A-30, HC-47, Q-24)',
    async () => {
      const { url } = await serve();
      const daemons = daemonsOf([
        ['n', 1, '10.0.1.1'],
        ['peer', 0, '10.0.1.2'],
      ]);
      const asked = await respond(
        { servers: url },
        { ok: false, code: 'INVALID', message: 'no index is free' },
        { ok: true, data: { index: 1, version: '7', daemons } },
      );
      const agent = await stage.agent('n', '10.0.1.1', { COPPICE_NATS_URL: url });
      await agent.program.line(/no index is free/);
      await agent.program.line(/joined the clique/);
      // No watch has shown a row.
      await agent.program.line(/knows 0=10.0.1.2 1=10.0.1.1/);
      await agent.program.line(/Identified this node as ID 1/);
      const about = { kind: 'clique', namespace: 'default', name: clique } as const;
      const subject = formatSubject({ type: 'ask', about, question: 'join' });
      const payload = { node: 'n', podUid: agent.pod.uid, ip: '10.0.1.1' };
      const right = { subject: subject.ok ? subject.value : '', payload };
      expect(asked).toEqual([right, right]);
      expect(right.subject).toBe('coppice.ask.clique.default.cd-1%2Efabric%2E7.join');
      await stage.rows(['n', 1, '10.0.1.1'], ['peer', 0, '10.0.1.3']);
      await agent.program.line(/reloaded: 0=10.0.1.3 1=10.0.1.1/);
      const { labels, annotations } = await stage.podOf(agent);
      expect({ labels, annotations }).toEqual({ labels: undefined, annotations: undefined });
      await stop(agent);
    },
  );

  test.skipIf(natsSkip !== '')(
    'says its clique on its pod where NATS is away, and nothing moves when it is back',
    async () => {
      const port = await freePort();
      const url = `nats://127.0.0.1:${port}`;
      const agent = await stage.agent('o', '10.0.1.4', { COPPICE_NATS_URL: url });
      await agent.program.line(/NATS cannot be reached/);
      await agent.program.line(/the pod says its clique/);
      await stage.rows(['o', 0, '10.0.1.4']);
      await agent.program.line(/Identified this node as ID 0/);
      const { resourceVersion } = await stage.podOf(agent);
      await serve(port);
      const asked = await respond(
        { servers: url },
        { ok: false, code: 'INVALID', message: 'too late' },
      );
      await stage.rows(['o', 0, '10.0.1.4'], ['peer', 1, '10.0.1.5']);
      await agent.program.line(/reloaded: 0=10.0.1.4 1=10.0.1.5/);
      await stop(agent);
      expect(asked).toEqual([]);
      expect((await stage.podOf(agent))['resourceVersion']).toBe(resourceVersion);
    },
  );

  test.skipIf(natsSkip !== '')(
    'joins with the permissions that its page names, which let it park nobody',
    async () => {
      const page = new URL('../../../../docs/clique-agent.md', import.meta.url);
      const named = /publish `(\S+)`, subscribe `(\S+)`/.exec(readFileSync(page, 'utf8'));
      const [, publish = '', subscribe = ''] = named ?? [];
      const controller = { user: 'controller', password: 'secret' };
      const agent = { user: 'agent', password: '', permissions: { publish, subscribe } };
      const { url } = await serve(0, {
        authorization: { users: [controller, agent] },
        no_auth_user: agent.user,
      });
      const daemons = daemonsOf([['r', 0, '10.0.1.7']]);
      const asked = await respond(
        { servers: url, user: controller.user, pass: controller.password },
        { ok: true, data: { index: 0, version: '7', daemons } },
      );
      const started = await stage.agent('r', '10.0.1.7', { COPPICE_NATS_URL: url });
      await started.program.line(/joined the clique/);
      const connection = await connect({ servers: url });
      connections.push(connection);
      const park = (asked[0]?.subject ?? '').replace(/join$/, 'park');
      expect(park).toMatch(/park$/);
      await expect(connection.request(park, '{}')).rejects.toThrow(/permissions violation/i);
      expect(asked).toHaveLength(1);
      await stop(started);
    },
  );

  test.skipIf(natsSkip !== '')('waits for a controller that does not answer yet', async () => {
    const { url } = await serve();
    const agent = await stage.agent('p', '10.0.1.6', { COPPICE_NATS_URL: url });
    await agent.program.line(/no controller serves questions/);
    const daemons = daemonsOf([['p', 0, '10.0.1.6']]);
    await respond({ servers: url }, { ok: true, data: { index: 0, version: '7', daemons } });
    await agent.program.line(/Identified this node as ID 0/);
    const seen = await eventually(
      'its pod',
      () => stage.podOf(agent),
      ({ uid }) => uid === agent.pod.uid,
    );
    expect(seen['labels']).toBeUndefined();
    await stop(agent);
  });
});
