// Two controllers without NATS: whichever is asked over HTTPS, the one that owns the actor answers,
// and by the token of whoever asks.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { askOver } from '#test/questions/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place, type Running } from '#test/support/place.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { createNamespace, createSet, get } from '#test/support/workload.ts';

const namespace = 'asked';
const names = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'];
const place = new Place();
const given = { ca: '', token: '' };

interface Controller extends Running {
  readonly origin: string;
}
const controllers: Controller[] = [];

const running = (index: number): Controller => {
  const controller = controllers[index];
  if (controller === undefined) throw new Error(`no controller ${index}`);
  return controller;
};

async function start(identity: string): Promise<void> {
  const started = await place.controller({
    bus: { enabled: false },
    leases: { enabled: true, identity, durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 },
    questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
  });
  const [, port = ''] = await started.program.line(/"port":(\d+).*answers questions over HTTPS/);
  controllers.push({ ...started, origin: `https://127.0.0.1:${port}` });
}

const leases = async (): Promise<readonly unknown[]> => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  return list(at(await get(place.client, path), 'items'));
};

const holders = async (): Promise<readonly string[]> =>
  (await leases())
    .filter((lease) => text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-'))
    .map((lease) => text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '');

const addresses = async (): Promise<readonly string[]> =>
  (await leases()).map((lease) =>
    text(at(lease, 'metadata', 'annotations', 'coppice.dev/address')),
  );

const pathOf = (question: string, name: string): string =>
  `/${question}?kind=podcliqueset&namespace=${namespace}&name=${name}`;

const ask = ({ origin }: Controller, path: string, more: object = {}) =>
  askOver({ origin, path, ...given, ...more });

/** Which sets the controller has, by what it shows on its own. */
async function ownSets({ url }: Running): Promise<readonly string[]> {
  const response = await fetch(`${url}/actors?kind=podcliqueset`);
  return list(at(await response.json(), 'trees')).map((tree) => text(at(tree, 'root')));
}

beforeAll(async () => {
  await place.start({ nodes: 4 });
  await createNamespace(place.client, namespace);
  for (const identity of ['c0', 'c1']) await start(identity);
  const path = '/api/v1/namespaces/default/secrets/coppice-questions-cert';
  const ca = text(at(await get(place.client, path), 'data', 'ca.crt'));
  given.ca = Buffer.from(ca, 'base64').toString('utf8');
  given.token = await tokenOf(place.client, 'robot');
  const isShared = (all: readonly string[]): boolean =>
    ['c0', 'c1'].every((name) => all.filter((holder) => holder === name).length === 8);
  await eventually('shared', holders, isShared);
  for (const name of names) {
    const cliques = [{ name: 'w', replicas: 1 }];
    await createSet(place.client, namespace, { name, replicas: 1, cliques });
  }
}, 60_000);
afterAll(() => place.end());

describe('Two controllers without NATS', () => {
  test('publish where they answer questions', async () => {
    const origins = controllers.map(({ origin }) => origin);
    await eventually('published', addresses, (all) => origins.every((one) => all.includes(one)));
  });

  test('answer for each other when asked over HTTPS', async () => {
    const shown = (): Promise<(readonly string[])[]> => Promise.all(controllers.map(ownSets));
    const owned = await eventually('begun', shown, (all) => all.flat().length === names.length);
    // The names are such that each has some.
    expect(owned.map((sets) => sets.length)).not.toContain(0);
    for (const controller of controllers) {
      for (const name of names) {
        const key = `podcliqueset/${namespace}/${name}`;
        const answer = await ask(controller, pathOf('why', name));
        expect(answer).toMatchObject({ status: 200, body: { ok: true, data: { key } } });
      }
    }
  });

  test('let a command through to the owner, which notes who gave it', async () => {
    const method = 'POST';
    for (const name of names) {
      const { body } = await ask(running(0), pathOf('park', name), { method });
      expect(body).toMatchObject({ ok: true, data: { parked: true } });
    }
    const user = 'system:serviceaccount:default:robot';
    const recorded = (): readonly number[] =>
      controllers.map(({ program: { stderr } }) => {
        const lines = stderr.filter((line) => line.includes('a command was given over HTTPS'));
        return lines.filter((line) => line.includes(user)).length;
      });
    const handedOn = (await ownSets(running(1))).length;
    const isAll = ([first, second]: readonly number[]): boolean =>
      first === names.length && second === handedOn;
    await eventually('noted', recorded, isAll);
    for (const name of names) {
      const { body } = await ask(running(1), pathOf('unpark', name), { method });
      expect(body).toMatchObject({ ok: true, data: { parked: false, wasParked: true } });
    }
  });

  test('answer nobody without a token that is valid', async () => {
    for (const token of [undefined, 'nonsense']) {
      const { status } = await ask(running(0), pathOf('why', 's0'), { token });
      expect(status).toBe(401);
    }
  });

  test('say who owns an actor whose owner does not answer', async () => {
    const [asked, gone] = [running(0), running(1)];
    const [lost = ''] = await ownSets(gone);
    gone.program.signal('SIGSTOP');
    try {
      const { status, body } = await ask(asked, pathOf('why', lost.split('/').at(-1) ?? ''));
      expect([status, at(body, 'code')]).toEqual([421, 'NOT_OWNER']);
      const owner = `which c1-\\w+ owns: c1-\\w+ at ${gone.origin}: no answer within 2000 ms`;
      expect(text(at(body, 'message'))).toMatch(new RegExp(owner));
    } finally {
      gone.program.signal('SIGCONT');
    }
  });
});
