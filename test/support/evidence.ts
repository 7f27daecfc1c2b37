// What is kept of a benchmark or a test on the real control plane that failed: objects, Events,
// what every actor waits for, the recent facts, and the logs of all processes, in a folder that
// outlives the cluster. Each part is tried for itself: what cannot be had says why in its place.
import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { historyStream } from '#bus/nats/history.ts';
import { formatSubject } from '#bus/subjects.ts';
import { allActorKinds, allKinds, objectKind } from '#machines/kinds.ts';
import { isObject, list, object, text } from '#machines/kubernetes/json.ts';
import { collectionPath } from '#src/kube/paths.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { programsSoFar } from './program.ts';

export interface Scene {
  readonly client: KubeTransport;
  readonly nats?: string | undefined;
  /** Of a cluster that keeps the logs of its processes there, and its audit log. */
  readonly clusterFolder?: string | undefined;
}

/** Where it goes unless told otherwise. */
const failuresFolder = fileURLToPath(new URL('../../.cache/failures', import.meta.url));

const mostActors = 1000;
const mostFacts = 5000;
const partLimitMs = 20_000;
const askLimitMs = 2000;

/** Says where, also on stderr; never rejects. */
export async function collectEvidence(
  title: string,
  scene: Scene,
  root = failuresFolder,
): Promise<string> {
  const time = new Date().toISOString().replaceAll(':', '.');
  const folder = join(root, `${time} ${title.replaceAll(/[^\w .-]+/g, '_').slice(0, 100)}`);
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const save = (name: string, content: unknown): void =>
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    );
  const part = async (name: string, take: () => Promise<unknown>): Promise<void> => {
    try {
      save(name, await within(take()));
    } catch (error) {
      save(`${name}.missing.txt`, `${String(error)}\n`);
    }
  };
  for (const { name, pid, lines } of programsSoFar()) {
    const command = name.split(' ').find((word) => /^[a-z]+$/.test(word)) ?? 'program';
    save(join('logs', `${command}-${pid}.log`), `${lines.join('\n')}\n`);
  }
  for (const log of globSync(join(scene.clusterFolder ?? folder, '*.log'))) {
    copyFileSync(log, join(folder, 'logs', basename(log)));
  }
  await Promise.all([
    part('objects.json', () => objects(scene.client)),
    part('events.json', () => items(scene.client, '/api/v1/events')),
    part('why.json', () => onNats(scene, (nats) => reasons(nats, scene.client))),
    part('facts.jsonl', () => onNats(scene, recentFacts)),
  ]);
  process.stderr.write(`evidence of the failure: ${folder}\n`);
  return folder;
}

const within = <T>(taken: Promise<T>): Promise<T> => {
  const limit = pause(partLimitMs, undefined, { ref: false }).then((): T => {
    throw new Error(`not there after ${partLimitMs} ms`);
  });
  return Promise.race([taken, limit]);
};

async function items(client: KubeTransport, path: string): Promise<readonly unknown[]> {
  const { status, body } = await client.request({ method: 'GET', path });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return list(object(body)['items']);
}

/** By kind; what a Secret holds is left out. A kind that is not served has the refusal. */
async function objects(client: KubeTransport): Promise<Readonly<Record<string, unknown>>> {
  const rows = await Promise.all(
    allKinds().map(async (kind) => {
      const all = await items(client, collectionPath(kind)).catch(String);
      const isSecret = kind === 'Secret' && typeof all !== 'string';
      return [kind, isSecret ? all.map((one) => ({ ...object(one), data: undefined })) : all];
    }),
  );
  return Object.fromEntries(rows);
}

async function onNats<T>({ nats }: Scene, act: (nats: NatsConnection) => Promise<T>): Promise<T> {
  if (nats === undefined) throw new Error('no NATS server was there');
  const connection = await connect({ servers: nats, timeout: askLimitMs });
  try {
    return await act(connection);
  } finally {
    await connection.close();
  }
}

/** What each actor says to `why`, by its subject. */
async function reasons(
  nats: NatsConnection,
  client: KubeTransport,
): Promise<Readonly<Record<string, unknown>>> {
  const until = performance.now() + partLimitMs / 2;
  const all = await Promise.all(
    allActorKinds().map(async (actor) =>
      (await items(client, collectionPath(objectKind(actor))).catch(() => [])).map((one) => {
        const { name, namespace } = object(object(one)['metadata']);
        const key = {
          kind: actor,
          name: text(name),
          namespace: text(namespace),
        };
        return formatSubject({ type: 'ask', about: key, question: 'why' });
      }),
    ),
  );
  const subjects = all.flat().flatMap((subject) => (subject.ok ? [subject.value] : []));
  const rows: [string, unknown][] = [];
  for (const subject of subjects.slice(0, mostActors)) {
    const answer = nats.request(subject, '', { timeout: askLimitMs });
    rows.push([subject, await answer.then((message) => message.json(), String)]);
    // Nobody is there to answer: do not wait for each.
    if (rows.length === 3 && rows.every(([, said]) => !isObject(said))) break;
    // A controller that is at work answers slowly: some answers are worth more than none.
    if (performance.now() > until) break;
  }
  return Object.fromEntries(rows);
}

/** One per line, the oldest first. */
async function recentFacts(nats: NatsConnection): Promise<string> {
  const manager = await jetstreamManager(nats);
  const { state } = await manager.streams.info(historyStream);
  const from = Math.max(state.first_seq, state.last_seq - mostFacts + 1);
  const consumer = await jetstream(nats).consumers.get(historyStream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
  });
  const lines: string[] = [];
  if (state.messages === 0) return '';
  for await (const message of await consumer.fetch({
    max_messages: mostFacts,
    expires: askLimitMs,
  })) {
    lines.push(`${message.subject} ${message.string()}`);
    if (message.seq >= state.last_seq) break;
  }
  return `${lines.join('\n')}\n`;
}
