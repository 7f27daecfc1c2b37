// Secrets planted in a set, one of which the API server quotes when it refuses a pod: none is found
// in anything that leaves the controller, on the bus or over HTTPS.
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, text } from '#machines/kubernetes/json.ts';
import { askOver } from '#test/questions/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Place } from '#test/support/place.ts';
import { setBody, createNamespace, get, must, setsIn } from '#test/support/workload.ts';
import { tokenOf } from '#test/support/tokens.ts';

const namespace = 'canaries';
const canary = 'hunter2-hunter2';
const patient = { timeout: 120_000 };

/** Its pods are refused, and the refusal quotes the policy. */
const leaky = () => {
  const env = [{ name: 'HF_TOKEN', value: canary }];
  const container = { name: 'main', image: 'busybox:1', env, args: [`--password=${canary}`] };
  const podSpec = { restartPolicy: `token=${canary}`, containers: [container] };
  const set = setBody({ name: 'leaky', replicas: 1, cliques: [{ name: 'worker', podSpec }] });
  const annotations = { 'example.com/api-token': canary };
  return { ...set, metadata: { name: 'leaky', annotations } };
};

describe.skipIf(natsSkip !== '')(`A secret of an object${natsSkip}`, () => {
  const place = new Place();
  const heard: string[] = [];
  const given = { origin: '', ca: '', token: '' };
  let url = '';

  beforeAll(async () => {
    await place.start({ nodes: 1 });
    const { program } = await place.controller({
      bus: { servers: [place.nats?.url ?? ''], commands: true },
      questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
      inspector: { enabled: true, port: 0 },
    });
    [, url = ''] = await program.line(/"inspector":"([^"]+)"/);
    const [, port = ''] = await program.line(/"port":(\d+).*answers questions over HTTPS/);
    await program.line(/controller synced/);
    given.origin = `https://127.0.0.1:${port}`;
    const secret = '/api/v1/namespaces/default/secrets/coppice-questions-cert';
    const ca = text(at(await get(place.client, secret), 'data', 'ca.crt'));
    given.ca = Buffer.from(ca, 'base64').toString('utf8');
    given.token = await tokenOf(place.client, 'viewer');
  }, 120_000);
  afterAll(() => place.end());

  test('is in no fact, message or answer', patient, async () => {
    const nats = await connect({ servers: place.nats?.url ?? '' });
    nats.subscribe('coppice.>', { callback: (_, message) => void heard.push(message.string()) });
    await nats.flush();
    await createNamespace(place.client, namespace);
    await must(place.client, { method: 'POST', path: setsIn(namespace), body: leaky() });
    const subject = (kind: string, name: string, question: string): string =>
      `coppice.ask.${kind}.${namespace}.${name}.${question}`;
    const ask = async (wanted: string, payload = ''): Promise<string> =>
      (await nats.request(wanted, payload, { timeout: 5_000 })).string();
    const refused = /Unsupported value: .*token=\[redacted\]/;
    const why = subject('podclique', 'leaky-0-worker', 'why');
    await eventually(
      'refused',
      () => ask(why),
      (said) => refused.test(said),
      60_000,
    );
    const reason = JSON.stringify({ reason: `password: ${canary}` });
    await ask(subject('podcliqueset', 'leaky', 'park'), reason);

    const said: string[] = [];
    for (const [kind, name] of [
      ['podcliqueset', 'leaky'],
      ['podclique', 'leaky-0-worker'],
      ['podgang', 'leaky-0'],
    ] as const) {
      for (const question of ['state', 'why', 'history']) {
        said.push(await ask(subject(kind, name, question)));
        const path = `/${question}?kind=${kind}&namespace=${namespace}&name=${name}`;
        said.push(JSON.stringify((await askOver({ ...given, path })).body));
      }
    }
    const headers = { authorization: `Bearer ${given.token}` };
    for (const path of ['facts', 'actors', 'overview']) {
      said.push(await (await fetch(`${url}/api/v1/${path}`, { headers })).text());
    }
    const facts = heard.filter((one) => one.includes('"what":"parked"'));
    expect(facts.join()).toContain('password: [redacted]');
    const leaks = [...heard, ...said].filter((one) => one.includes('hunter2'));
    // The question itself, as the test asked it.
    expect(leaks.filter((one) => one !== reason)).toEqual([]);
    await nats.close();
  });
});
