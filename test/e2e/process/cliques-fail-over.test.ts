// Two controllers that share the shards, and one of them is killed while sixteen cliques form: each
// index stays with its node, no version has one twice, and the other one brings all to an end.
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

const place = new Place();
const stage = new CliqueStage(place);
const controllers: Running[] = [];

/** What was seen of cliques: rows, and whatever must never be. */
const seen = { rows: new Map<string, number>(), wrong: [] as string[] };
let close = (): void => {};

function look(clique: unknown): void {
  const rows = list(at(clique, 'daemons'));
  const indices = rows.map((row) => Number(at(row, 'index')));
  const name = text(at(clique, 'metadata', 'name'));
  if (new Set(indices).size < indices.length) seen.wrong.push(`${name}: ${indices.join()}`);
  for (const row of rows) {
    const node = text(at(row, 'nodeName'));
    const index = Number(at(row, 'index'));
    const before = seen.rows.get(node) ?? index;
    if (before !== index) seen.wrong.push(`${node} had ${before} and has ${index}`);
    seen.rows.set(node, index);
  }
}

const holders = async (): Promise<readonly string[]> =>
  (await stage.items('/apis/coordination.k8s.io/v1/namespaces/default/leases'))
    .filter((lease) => text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-'))
    .map((lease) => text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '');

beforeAll(async () => {
  await place.start({ nodes: nodes.length });
  await stage.open();
  for (const [index, node] of nodes.entries()) {
    const labels = { [fabricLabel]: `${fabric}.${index % cliques}` };
    await stage.patch(`/api/v1/nodes/${node}`, { metadata: { labels } });
  }
  for (const identity of ['c0', 'c1']) {
    const leases = { enabled: true, identity, ...times };
    controllers.push(await place.controller({ ...settings, leases }));
  }
  await eventually(
    'shared',
    holders,
    (all) => all.filter((one) => one === 'c0').length === shards / 2 && all.length === shards,
    60_000,
  );
  close = place.client.watch(`${cliquesIn(driver)}?watch=true&resourceVersion=0`, {
    event: ({ object }) => look(object),
    closed: () => {},
  });
}, 120_000);
afterAll(async () => {
  close();
  await place.end();
});

test(
  'Cliques that form while their owner is killed keep every index (A-40, A-41)',
  { timeout: 120_000 },
  async () => {
    const uid = await stage.addDomain('training', nodes.length);
    await eventually(
      'with its DaemonSet',
      () => stage.leftOf(uid),
      (left) => left.some((line) => line.includes('daemonsets')),
    );
    const begun = stage.addWorkload('training', nodes);
    await eventually(
      'begun',
      () => seen.rows.size,
      (rows) => rows > 0,
    );
    const [killed] = controllers;
    await killed?.program.kill();
    const rowsThen = seen.rows.size;
    await begun;
    expect(rowsThen).toBeLessThan(nodes.length);

    const rows = await eventually(
      'Ready',
      () => stage.rowsOf(uid),
      (all) => all.length === nodes.length && all.every(([, , status]) => status === 'Ready'),
      60_000,
    );
    expect(seen.wrong).toEqual([]);
    expect(new Map(rows.map(([node, index]) => [node, index]))).toEqual(seen.rows);
    for (const clique of await stage.cliquesOf(uid)) {
      const indices = list(at(clique, 'daemons')).map((row) => Number(at(row, 'index')));
      expect(indices.toSorted((one, other) => one - other)).toEqual(zeroTo(size));
    }
    await eventually(
      'Ready as a whole',
      () => stage.status('training'),
      (status) =>
        at(status, 'status') === 'Ready' && list(at(status, 'nodes')).length === nodes.length,
    );
    expect(new Set(await holders())).toEqual(new Set(['c1']));
    await stage.delete(`${domainsIn('default')}/training`);
    await stage.gone('training', uid);
  },
);
