// ComputeDomains on a real controller process: nodes that join a clique and leave it, one too many,
// tables that somebody spoils by hand, and domains that Grove's module makes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';

import { eventually } from '#test/support/eventually.ts';
import { Place, type Running } from '#test/support/place.ts';
import { deleteSet, setsIn } from '#test/support/workload.ts';
import {
  CliqueStage,
  cliquesIn,
  domainsIn,
  driver,
  fabricLabel,
  nodesUpTo,
  settings,
  type Told,
  zeroTo,
} from './cliques-stage.ts';

const patient = { timeout: 120_000 };
const place = new Place();
const stage = new CliqueStage(place);
let controller: Running;

/** Nodes 0 to 17 are in one clique, as the simulated fabric has it. */
const capacity = 18;

beforeAll(async () => {
  await place.start({ nodes: capacity + 2 });
  await stage.open();
  controller = await place.controller({ ...settings, network: { autoMNNVLEnabled: true } });
  await controller.program.line(/controller synced/);
}, 60_000);
afterAll(() => place.end());

const indicesOf = (rows: readonly Told[]): readonly number[] =>
  rows.map(([, index]) => index).toSorted((one, other) => one - other);

const byNode = (rows: readonly Told[]): ReadonlyMap<string, number> =>
  new Map(rows.map(([node, index]) => [node, index]));

test('eighteen nodes get 0 to 17 in few writes, and nothing is left of their domain', patient, async () => {
  const uid = await stage.addDomain('training', capacity);
  await stage.addWorkload('training', nodesUpTo(capacity));
  const rows = await stage.ready(uid, capacity);
  expect(indicesOf(rows)).toEqual(zeroTo(capacity));
  const status = await eventually(
    'Ready',
    () => stage.status('training'),
    (one) => at(one, 'status') === 'Ready' && list(at(one, 'nodes')).length === capacity,
  );
  const mirrored = list(at(status, 'nodes')).map((one) => [at(one, 'name'), at(one, 'index')]);
  expect(new Map(mirrored)).toEqual(byNode(rows));
  console.log(await stage.requests());

  await stage.delete(`${domainsIn('default')}/training`);
  await stage.gone('training', uid);
});
