// The inspector of real processes, without NATS: two controllers on the embedded cluster, whose
// users come with tokens of it. Whichever is asked shows the actors of both, follows what changes,
// tells who edited what, and parks where the user says so.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { ActorPage, FactRow, TracePage } from '#src/inspector/protocol.ts';
import { Events } from '#test/inspector/served.ts';
import { askOver } from '#test/questions/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { createNamespace, createSet, get, must } from '#test/support/workload.ts';

const namespace = 'inspected';
const names = ['s0', 's1', 's2', 's3', 's4', 's5'];
const robot = 'system:serviceaccount:default:robot';
const patient = { timeout: 60_000 };
const place = new Place();
const given = { token: '', ca: '' };
const urls: string[] = [];
const origins: string[] = [];
const ends: (() => void)[] = [];

async function start(identity: string): Promise<void> {
  const { program } = await place.controller({
    bus: { enabled: false },
    leases: { enabled: true, identity, durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 },
    questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
    inspector: { enabled: true, port: 0 },
  });
  const [, url = ''] = await program.line(/"inspector":"([^"]+)"/);
  const [, port = ''] = await program.line(/"port":(\d+).*answers questions over HTTPS/);
  urls.push(url);
  origins.push(`https://127.0.0.1:${port}`);
}

const urlOf = (index: number): string => urls[index] ?? '';

async function ask(index: number, path: string, more: RequestInit = {}) {
  const headers = { authorization: `Bearer ${given.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${urlOf(index)}/api/v1/${path}`, { ...more, headers });
  // What a route answers is JSON of many forms.
  // oxlint-disable-next-line typescript/no-explicit-any
  const body: any = await response.json();
  return { status: response.status, body };
}

const command = (question: string, name: string) =>
  ask(0, `actors/podcliqueset/${namespace}/${name}/${question}`, {
    method: 'POST',
    body: JSON.stringify({ reason: `I ${question} it` }),
  });

let edits = 0;

/** Scales the set, and resolves with what that led to first, from whichever process tells it. While
 *  a shard changes hands, nobody sees an edit as news. */
async function edited(name: string): Promise<unknown> {
  const path = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets/${name}`;
  const contentType = 'application/merge-patch+json';
  const body = { spec: { replicas: 1 + (++edits % 2) } };
  await must(place.client, { method: 'PATCH', path, contentType, body });
  await pause(200);
  const facts = await ask(0, `facts?namespace=${namespace}&text=spec.replicas&limit=2000`);
  const about = `podcliqueset/${namespace}/${name}`;
  return list(facts.body.facts).findLast((fact) => at(fact, 'about') === about);
}

const setsOf = async (index: number): Promise<readonly string[]> => {
  const { body }: { body: ActorPage } = await ask(index, 'actors?kind=podcliqueset');
  return body.rows.name.toSorted();
};

beforeAll(async () => {
  await place.start({ nodes: 4 });
  await createNamespace(place.client, namespace);
  for (const identity of ['c0', 'c1']) await start(identity);
  const secret = '/api/v1/namespaces/default/secrets/coppice-questions-cert';
  const ca = text(at(await get(place.client, secret), 'data', 'ca.crt'));
  given.ca = Buffer.from(ca, 'base64').toString('utf8');
  given.token = await tokenOf(place.client, 'robot');
  const shared = async () => {
    const { body } = await ask(0, 'session');
    return list(body.shards).filter((row) => at(row, 'isHere') === true).length;
  };
  await eventually('shared', shared, (own) => own === 8);
  for (const name of names) {
    const cliques = [{ name: 'w', replicas: 1 }];
    await createSet(place.client, namespace, { name, replicas: 1, cliques });
  }
}, 60_000);
afterAll(async () => {
  for (const end of ends) end();
  await place.end();
});

describe('The inspectors of two controllers', () => {
  test('show the actors of both, whichever is asked', patient, async () => {
    for (const index of [0, 1]) {
      const all = await eventually(
        'all',
        () => setsOf(index),
        ({ length }) => length >= names.length,
      );
      expect(all).toEqual(names);
    }
    const { body } = await ask(0, 'overview');
    expect(body).toMatchObject({ parked: 0, restarting: 0 });
    expect(body.missing).toBeUndefined();
    expect(new Set(list(body.shards).map((row) => text(at(row, 'holder')))).size).toBe(2);
  });

  test('follow what changes in both', patient, async () => {
    const abort = new AbortController();
    ends.push(() => abort.abort());
    const headers = { authorization: `Bearer ${given.token}` };
    const { signal } = abort;
    const response = await fetch(`${urlOf(0)}/api/v1/stream?facts=all`, { headers, signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = new Events(response);
    const wanted = ['t0', 't1', 't2', 't3', 't4', 't5'];
    for (const name of wanted) {
      const cliques = [{ name: 'w', replicas: 1 }];
      await createSet(place.client, namespace, { name, replicas: 1, cliques });
    }
    const seen = new Set<string>();
    const facts: FactRow[] = [];
    // The facts of a batch come after its rows, which may be the last that are wanted.
    while (facts.length === 0 || wanted.some((name) => !seen.has(name))) {
      const event = await events.next();
      if (event.type === 'delta') for (const name of event.rows.name) seen.add(name);
      if (event.type === 'facts') facts.push(...event.facts);
    }
    abort.abort();
  });

  test('say why, what happened, and what an edit caused', patient, async () => {
    for (const name of names) {
      const path = `actors/podcliqueset/${namespace}/${name}`;
      const state = await ask(0, path);
      expect(state).toMatchObject({ status: 200, body: { machine: 'podcliqueset' } });
      expect((await ask(0, `${path}/why`)).body.because.length).toBeGreaterThan(0);
      const history = await ask(0, `${path}/history`);
      expect(history.body.facts.length).toBeGreaterThan(0);
      const first = await eventually('a fact about an edit', () => edited(name), Boolean, 30_000);
      const id = text(at(first, 'trace'));
      const trace: { body: TracePage } = await ask(1, `traces/${id}`);
      expect(trace.body.facts.map((fact) => fact.id)).toContain(text(at(first, 'id')));
      expect(trace.body.facts.some(({ what }) => what === 'wrote')).toBe(true);
    }
  });

  test('park and start again by command, and say by Events who wanted it', patient, async () => {
    for (const name of names) {
      expect(await command('park', name)).toMatchObject({ status: 200, body: { parked: true } });
    }
    const parked = await ask(1, 'actors?parked=true');
    expect(parked.body.rows.name.toSorted()).toEqual(names);
    for (const name of names) {
      expect(await command('unpark', name)).toMatchObject({ body: { wasParked: true } });
    }
    const told = async (): Promise<readonly string[]> => {
      const events = await get(place.client, `/api/v1/namespaces/${namespace}/events`);
      return list(at(events, 'items'))
        .filter((event) => /^Actor(?:Unp|P)arked$/.test(text(at(event, 'reason'))))
        .map((event) => `${text(at(event, 'reason'))} ${text(at(event, 'message'))}`);
    };
    const all = await eventually('told', told, ({ length }) => length === 2 * names.length);
    for (const line of all) {
      const question = line.startsWith('ActorParked') ? 'park' : 'unpark';
      expect(line).toContain(`${robot}: I ${question} it`);
    }
  });

  test('are served by the questions too, over TLS, and to nobody without a token', async () => {
    const origin = origins[1] ?? '';
    const path = '/api/v1/session';
    expect(await askOver({ origin, path, ...given })).toMatchObject({
      status: 200,
      body: { user: robot },
    });
    expect(await askOver({ origin, path, ca: given.ca })).toMatchObject({ status: 401 });
    const response = await fetch(`${urlOf(0)}${path}`);
    expect(response.status).toBe(401);
  });
});
