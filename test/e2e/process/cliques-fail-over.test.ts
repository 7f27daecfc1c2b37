// Two controllers share the shards, and one of them is killed, or stands still for 20 s, while
// sixteen cliques form: each index stays with its node, no version has one twice, and the other
// controller brings all to an end.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place, type Running } from '#test/support/place.ts';
import {
  CliqueStage,
  cliquesIn,
  domainsIn,
  driver,
  fabricLabel,
  nodesUpTo,
  settings,
  zeroTo,
} from './cliques-stage.ts';

const cliques = 16;
const size = 4;
const shards = 16;
const nodes = nodesUpTo(cliques * size);
const fabric = '00000000-0000-4000-8000-00000000beef';
const times = { durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 };
const stopMs = 20_000;
const patient = { timeout: 180_000 };

const place = new Place();
const stage = new CliqueStage(place);

/** What was seen of cliques: indices by domain and node, and whatever must never be. */
const seen = { rows: new Map<string, Map<string, number>>(), wrong: [] as string[] };
let close = (): void => {};

function look(clique: unknown): void {
  const rows = list(at(clique, 'daemons'));
  const indices = rows.map((row) => Number(at(row, 'index')));
  const name = text(at(clique, 'metadata', 'name'));
  if (new Set(indices).size < indices.length) seen.wrong.push(`${name}: ${indices.join()}`);
  const [domain = ''] = name.split('.');
  const known = seen.rows.get(domain) ?? new Map<string, number>();
  seen.rows.set(domain, known);
  for (const row of rows) {
    const node = text(at(row, 'nodeName'));
    const index = Number(at(row, 'index'));
    const before = known.get(node) ?? index;
    if (before !== index) seen.wrong.push(`${node} had ${before} and has ${index}`);
    known.set(node, index);
  }
}

const holders = async (): Promise<readonly string[]> =>
  (await stage.items('/apis/coordination.k8s.io/v1/namespaces/default/leases'))
    .filter((lease) => text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-'))
    .map((lease) => text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '');

const start = (identity: string): Promise<Running> =>
  place.controller({ ...settings, leases: { enabled: true, identity, ...times } });

const shared = (): Promise<unknown> =>
  eventually(
    'shared',
    holders,
    (all) => all.filter((one) => one === 'c0').length === shards / 2 && all.length === shards,
    60_000,
  );

let c0: Running;

beforeAll(async () => {
  await place.start({ nodes: nodes.length });
  await stage.open();
  for (const [index, node] of nodes.entries()) {
    const labels = { [fabricLabel]: `${fabric}.${index % cliques}` };
    await stage.patch(`/api/v1/nodes/${node}`, { metadata: { labels } });
  }
  c0 = await start('c0');
  await start('c1');
  await shared();
  close = place.client.watch(`${cliquesIn(driver)}?watch=true&resourceVersion=0`, {
    event: ({ object }) => look(object),
    closed: () => seen.wrong.push('the watch of cliques has ended'),
  });
}, 120_000);
afterAll(async () => {
  close();
  await place.end();
});

/** Does it when half of the nodes of each clique are in; resolves with the domain's UID. */
async function formWhile(name: string, strike: () => void): Promise<string> {
  const uid = await stage.addDomain(name, nodes.length);
  await eventually(
    'with its DaemonSet',
    () => stage.leftOf(uid),
    (left) => left.some((line) => line.includes('daemonsets')),
  );
  const half = nodes.length / 2;
  await stage.addWorkload(name, nodes.slice(0, half));
  await eventually(
    'half formed',
    () => seen.rows.get(uid)?.size ?? 0,
    (rows) => rows === half,
  );
  strike();
  await stage.addWorkload(name, nodes.slice(half));
  return uid;
}

/** All rows and the status are Ready, and every index is the first that its node had. */
async function expectFormed(name: string, uid: string): Promise<void> {
  const rows = await eventually(
    'Ready',
    () => stage.rowsOf(uid),
    (all) => all.length === nodes.length && all.every(([, , status]) => status === 'Ready'),
    60_000,
  );
  expect(seen.wrong).toEqual([]);
  expect(new Map(rows.map(([node, index]) => [node, index]))).toEqual(seen.rows.get(uid));
  for (const clique of await stage.cliquesOf(uid)) {
    const indices = list(at(clique, 'daemons')).map((row) => Number(at(row, 'index')));
    expect(indices.toSorted((one, other) => one - other)).toEqual(zeroTo(size));
  }
  await eventually(
    'Ready as a whole',
    () => stage.status(name),
    (status) =>
      at(status, 'status') === 'Ready' && list(at(status, 'nodes')).length === nodes.length,
  );
}

const removed = async (name: string, uid: string): Promise<void> => {
  await stage.delete(`${domainsIn('default')}/${name}`);
  await stage.gone(name, uid);
};

test(
  'Cliques that form while their owner is killed keep every index (A-40, A-41)',
  patient,
  async () => {
    const uid = await formWhile('killed', () => void c0.program.kill());
    await expectFormed('killed', uid);
    expect(new Set(await holders())).toEqual(new Set(['c1']));
    await removed('killed', uid);
  },
);

test('and while it stands still for 20 s, and comes back (A-40, A-41, A-42)', patient, async () => {
  c0 = await start('c0');
  await shared();
  let stoppedMs = 0;
  const uid = await formWhile('stopped', () => {
    c0.program.signal('SIGSTOP');
    stoppedMs = performance.now();
  });
  await expectFormed('stopped', uid);
  expect(new Set(await holders())).toEqual(new Set(['c1']));
  expect(performance.now() - stoppedMs).toBeLessThan(stopMs);
  const before = await stage.cliquesOf(uid);
  await pause(stopMs - (performance.now() - stoppedMs));
  c0.program.signal('SIGCONT');
  // Whatever it still meant to write has been refused or written by then.
  await shared();
  expect(await stage.cliquesOf(uid)).toEqual(before);
  expect(seen.wrong).toEqual([]);
  await removed('stopped', uid);
});
