// The bus over NATS keeps the contract of BusPort, with a real server.
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import type { BusPort } from '#actors/ports.ts';
import { decodeEnvelope } from '#bus/codec.ts';
import { NatsBus } from '#bus/nats/bus.ts';
import { subjectsOf } from '#bus/subjects.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { systemIds } from '#src/time/clock.ts';
import { envelopeTo } from '#test/support/bus/samples.ts';
import { natsSkip, startTestServer, temporaryFolder, testBus } from '#test/support/nats.ts';
import { busConformance } from './suite.ts';
import type { BusWorld, Seen } from './world.ts';

const folder = temporaryFolder();
const ids = systemIds();
let server: NatsServer;

async function makeWorld(): Promise<BusWorld> {
  const watcher = await connect({ servers: server.url });
  const seen: Seen[] = [];
  const marks = new Set<string>();
  // Not `coppice.>`: a subscriber there counts as a responder, and unserved questions would wait.
  for (const subject of [subjectsOf.fact, subjectsOf.tell]) {
    watcher.subscribe(subject, {
      callback(_, message) {
        const posted = decodeEnvelope(message.data);
        if (posted.ok && posted.value.envelope.to.kind === 'podgang') {
          marks.add(posted.value.envelope.id);
        } else seen.push({ subject: message.subject, bytes: message.data.slice() });
      },
    });
  }
  await watcher.flush();
  const foreigner = await connect({ servers: server.url });
  const members: BusPort[] = [];
  const until = (claim: () => boolean): Promise<true> =>
    vi.waitUntil(claim, { timeout: 5_000, interval: 2 });
  return {
    seen,
    async join(name) {
      const member = testBus({ servers: [server.url], name, history: null });
      members.push(member);
      await until(() => member.state().connected);
      return member;
    },
    inject: (subject, bytes) => foreigner.publish(subject, bytes),
    rejected: (member) => (member instanceof NatsBus ? member.state().rejected : 0),
    async until(claim) {
      await until(claim);
    },
    // A mark of every member comes by: the server has taken everything that they said before it.
    // The second round is for what came of that.
    async stabilize() {
      for (let round = 0; round < 2; round++) {
        const sent = members
          .filter((member) => member.state().connected)
          .map((member) => {
            const mark = envelopeTo({ kind: 'podgang', namespace: '-', name: '-' }, ids.next());
            member.copy(mark);
            return mark.id;
          });
        await until(() => sent.every((id) => marks.has(id)));
      }
    },
    during: (_, work) => work,
    async close() {
      await Promise.all(members.map((member) => member.close()));
      await watcher.close();
      await foreigner.close();
    },
  };
}

describe.skipIf(natsSkip !== '')(`the bus over NATS${natsSkip}`, () => {
  beforeAll(async () => {
    server = await startTestServer({ dataDir: folder.path });
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });
  busConformance(makeWorld);
});
