// Secrets planted in every place where Coppice meets one: none is found in anything that leaves the
// controller, and the heap holds those alone that the work needs, for as long as it does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection, tokenAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { announce } from '#src/dev/announce.ts';
import { localAdmission } from '#src/dev/admission.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { systemClock } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip, startTestServer } from '#test/support/nats.ts';
import { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { createNamespace, deleteSet, get, must, setsIn } from '#test/support/workload.ts';
import { held, preload } from './heap.ts';
import {
  answers,
  metrics,
  ofProcess,
  type Output,
  supportBundle,
  views,
  written,
} from './outputs.ts';
import * as planting from './planted.ts';

const namespace = 'canaries';
const patient = { timeout: 240_000 };
const secretsIn = (where: string): string => `/api/v1/namespaces/${where}/secrets`;
const subjects = (
  [
    ['podcliqueset', 'open'],
    ['podclique', 'open-0-worker'],
    ['podgang', 'open-0'],
    ['podcliqueset', 'refused'],
    ['podclique', 'refused-0-worker'],
  ] as const
).map(([kind, name]) => ({ kind, namespace, name }));

describe.skipIf(natsSkip !== '')(`A secret${natsSkip}`, () => {
  const place = new Place();
  const heard: string[] = [];
  const canaries = [...planting.planted];
  const addresses = { origin: '', ca: '', inspector: '', metrics: '', token: '' };
  let program: Program;
  let server: NatsServer | undefined;
  let nats: NatsConnection;

  const readSecret = async (where: string, name: string, key: string): Promise<string> => {
    const secret = await get(place.client, `${secretsIn(where)}/${name}`);
    return Buffer.from(text(at(secret, 'data', key)), 'base64').toString('utf8');
  };
  const create = (path: string, body: object): Promise<unknown> =>
    must(place.client, { method: 'POST', path, body });
  const whyOf = async (name: string): Promise<string> =>
    (await nats.request(`coppice.ask.podclique.${namespace}.${name}.why`)).string();

  beforeAll(async () => {
    await place.start({ nodes: 1 });
    server = await startBus();
    await startController();
    await plantObjects();
    await plantKeys();
  }, 240_000);
  afterAll(async () => {
    await nats?.close();
    await server?.stop();
    await place.end();
  });

  async function startBus(): Promise<NatsServer> {
    const settings = { authorization: { token: planting.texts.nats } };
    const started = await startTestServer({ dataDir: join(place.folder, 'guarded'), settings });
    writeFileSync(join(place.folder, 'nats-token'), planting.texts.nats);
    const authenticator = tokenAuthenticator(planting.texts.nats);
    nats = await connect({ servers: started.url, authenticator });
    nats.subscribe('coppice.>', { callback: (_, message) => void heard.push(message.string()) });
    await nats.flush();
    return started;
  }

  /** By a kubeconfig with a token of its own. */
  async function startController(): Promise<void> {
    const own = await tokenOf(place.client, 'controller');
    canaries.push(planting.canary('the kubeconfig', signatureOf(own), 'process'));
    const kubeconfig = join(place.folder, 'controller.kubeconfig');
    const users = [{ name: 'controller', user: { token: own } }];
    const admin = object(parse(readFileSync(place.kubeconfig, 'utf8')));
    const context = { ...object(at(list(admin['contexts'])[0], 'context')), user: 'controller' };
    const given = {
      ...admin,
      users,
      contexts: [{ name: 'own', context }],
      'current-context': 'own',
    };
    writeFileSync(kubeconfig, JSON.stringify(given));
    const settings = {
      log: { level: 'debug' },
      bus: {
        servers: [server?.url ?? ''],
        tokenFile: join(place.folder, 'nats-token'),
        commands: true,
      },
      questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
      inspector: { enabled: true, port: 0 },
      admission: localAdmission(defaultConfiguration),
    };
    ({ program } = await place.controller(settings, { kubeconfig, preload }));
    const line = await program.line(/"metrics":"([^"]+)"/);
    const [, inspector = ''] = await program.line(/"inspector":"([^"]+)"/);
    const [, port = ''] = await program.line(/"port":(\d+).*answers questions over HTTPS/);
    await program.line(/controller synced/);
    await program.line(/serves the admission webhooks/);
    const origin = `https://127.0.0.1:${port}`;
    Object.assign(addresses, { metrics: line[1] ?? '', inspector, origin });
    await announce({
      kubeconfig: place.kubeconfig,
      transport: place.client,
      clock: systemClock,
      namespace: 'default',
      secretName: 'coppice-questions-cert',
      address: () => origin,
    });
  }

  async function plantObjects(): Promise<void> {
    await createNamespace(place.client, namespace);
    await create(secretsIn(namespace), planting.userSecret);
    await create(setsIn(namespace), planting.openSet());
    await create(setsIn(namespace), planting.refusedSet());
    const invalid = {
      method: 'POST',
      path: setsIn(namespace),
      body: planting.invalidSet(),
    } as const;
    expect((await place.client.request(invalid)).status).toBe(403);
    await eventually('refused', () => whyOf('refused-0-worker'), wasRefused, 60_000);
    const ready = async () => {
      const clique = await get(
        place.client,
        `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliques/open-0-worker`,
      );
      return at(clique, 'status', 'readyReplicas');
    };
    await eventually('ready', ready, (count) => count === 2, 60_000);
  }

  /** Tokens and keys that the cluster and the controller have made. */
  async function plantKeys(): Promise<void> {
    const viewer = await tokenOf(place.client, 'viewer');
    addresses.token = viewer;
    addresses.ca = await readSecret('default', 'coppice-questions-cert', 'ca.crt');
    canaries.push(planting.canary('the token of a viewer', signatureOf(viewer), 'never'));
    const name = 'open-ic-sat';
    const filled = () => readSecret(namespace, name, 'token').catch(() => '');
    const token = await eventually('a token of the set', filled, (one) => one !== '');
    canaries.push(planting.canary('the token Secret of a set', signatureOf(token), 'never'));
    for (const [what, secret] of [
      ['webhooks', 'grove-webhook-server-cert'],
      ['questions', 'coppice-questions-cert'],
    ] as const) {
      const key = keyLine(await readSecret('default', secret, 'tls.key'));
      canaries.push(planting.canary(`the key of the ${what}`, key, 'process'));
      const authority = keyLine(await readSecret('default', secret, 'ca.key'));
      canaries.push(planting.canary(`the authority of the ${what}`, authority, 'never'));
    }
    const headers = { authorization: `Bearer ${planting.texts.stranger}` };
    const strange = await fetch(`${addresses.inspector}/api/v1/actors`, { headers });
    expect(strange.status).toBe(401);
  }

  test(
    'is in no log, fact, trace, answer, view, Event, status or bundle (S-6)',
    patient,
    async () => {
      const reason = JSON.stringify({ reason: `password: ${planting.texts.reason}` });
      await nats.request(`coppice.ask.podcliqueset.${namespace}.open.park`, reason);
      await nats.request(`coppice.ask.podcliqueset.${namespace}.open.unpark`, '{}');
      const outputs: readonly Output[] = [
        ...(await answers(nats, addresses, subjects)),
        ...(await views(addresses, subjects)),
        ...(await written(place.client, namespace)),
        await metrics(addresses.metrics),
        await supportBundle(place.kubeconfig, place.folder),
        // What the test itself asked is heard too.
        ...heard.filter((one) => one !== reason).map((one) => ({ name: 'bus', text: one })),
        ...ofProcess(program),
      ];
      // It saw them: what it says of the places names them.
      for (const [name, shown] of [
        ['support bundle', '"name": "HF_TOKEN"'],
        ['bus', 'password: [redacted]'],
        [`inspector actors/podclique/${namespace}/refused-0-worker/why`, 'token=[redacted]'],
      ] as const) {
        const texts = outputs.filter((output) => output.name === name).map((output) => output.text);
        expect(texts.join('\n')).toContain(shown);
      }
      expect(canaries.length).toBeGreaterThanOrEqual(12);
      const leaks = outputs.flatMap((output) =>
        canaries
          .filter((canary) => planting.formsOf(canary).some((form) => output.text.includes(form)))
          .map(({ place: where }) => `${where}: ${output.name}`),
      );
      expect(leaks).toEqual([]);
    },
  );

  test('is in the heap only while an object or the process needs it (S-3)', patient, async () => {
    const needed = canaries.filter(({ heldFor }) => heldFor !== 'never');
    const places = needed.map((canary) => canary.place);
    const found = await held(program, place.folder, canaries);
    expect(found.filter((where) => !places.includes(where))).toEqual([]);
    // The search finds what is there.
    expect(found).toContain('an environment variable of a pod');
    expect(found).toContain('the kubeconfig');
  });

  test('leaves the heap with the object that had it (S-3)', patient, async () => {
    for (const name of ['open', 'refused']) await deleteSet(place.client, namespace, name);
    const left = async () => {
      const { body } = await place.client.request({ method: 'GET', path: setsIn(namespace) });
      return JSON.stringify(at(body, 'items'));
    };
    await eventually('gone', left, (items) => items === '[]', 60_000);
    for (const set of planting.plainSets()) await create(setsIn(namespace), set);
    await eventually('refused', () => whyOf('plain-refused-0-worker'), wasRefused, 60_000);
    const kept = canaries.filter(({ heldFor }) => heldFor === 'process').map((one) => one.place);
    const isRight = (found: readonly string[]): boolean =>
      found.every((where) => kept.includes(where));
    // Actors end a moment after their objects.
    await eventually('forgotten', () => held(program, place.folder, canaries), isRight, 60_000);
  });
});

const wasRefused = (said: string): boolean => said.includes('Unsupported value');

/** What makes a token one; the rest of it says whose it is. */
const signatureOf = (token: string): string => token.split('.').at(-1) ?? '';

/** A line of its own, without the words around it. */
const keyLine = (pem: string): string => pem.split('\n')[1] ?? '';
