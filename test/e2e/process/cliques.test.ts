// ComputeDomains on a real controller process: nodes that join a clique and leave it, one too many,
// tables that somebody spoils by hand, and domains that Grove's module makes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { enrolledSet, gpuContainer } from '#test/support/domains.ts';
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

/** Of the cliques, while that is done: accepted writes, and conflicts. */
async function writesDuring(
  act: () => Promise<void>,
): Promise<{ readonly writes: number; readonly conflicts: number }> {
  const count = async () => {
    const all = [...(await stage.requests())];
    const sum = (isMeant: (line: string) => boolean): number =>
      all.reduce((total, [line, times]) => total + (isMeant(line) ? times : 0), 0);
    return {
      writes: sum((line) => /^(create|patch|update|delete) 20/.test(line)),
      conflicts: sum((line) => line.endsWith(' 409')),
    };
  };
  const before = await count();
  await act();
  const after = await count();
  return {
    writes: after.writes - before.writes,
    conflicts: after.conflicts - before.conflicts,
  };
}

/** The domain with its DaemonSet, whose pods come without the controller. */
async function openDomain(name: string, numNodes = 0): Promise<string> {
  const uid = await stage.addDomain(name, numNodes);
  await eventually(
    'with its children',
    () => stage.leftOf(uid),
    (left) => left.some((line) => line.includes('daemonsets')) && left.join(' ').includes('2 of'),
  );
  return uid;
}

const remove = async (domain: string, uid: string): Promise<void> => {
  await stage.delete(`${domainsIn('default')}/${domain}`);
  await stage.gone(domain, uid);
};

test('eighteen nodes that ask at once get 0 to 17 in at most 4 writes (A-3)', patient, async () => {
  const uid = await openDomain('training', capacity);
  const { program } = controller;
  const counted = await writesDuring(async () => {
    program.signal('SIGSTOP');
    await stage.addWorkload('training', nodesUpTo(capacity));
    await stage.daemonsReady(uid, capacity);
    program.signal('SIGCONT');
    await stage.ready(uid, capacity);
  });
  expect(counted.conflicts).toBe(0);
  expect(counted.writes).toBeLessThanOrEqual(4);
  const rows = await stage.rowsOf(uid);
  expect(indicesOf(rows)).toEqual(zeroTo(capacity));
  const status = await eventually(
    'Ready',
    () => stage.status('training'),
    (one) => at(one, 'status') === 'Ready' && list(at(one, 'nodes')).length === capacity,
  );
  const mirrored = list(at(status, 'nodes')).map(
    (one) => `${String(at(one, 'name'))} ${String(at(one, 'index'))}`,
  );
  expect(mirrored.toSorted()).toEqual(rows.map(([node, index]) => `${node} ${index}`).toSorted());
  await remove('training', uid);
});

test('nodes that ask one by one get 0 to 17 without a conflict', patient, async () => {
  const uid = await openDomain('apart');
  const counted = await writesDuring(async () => {
    for (const [before, node] of nodesUpTo(capacity).entries()) {
      await stage.addWorkload('apart', [node]);
      await stage.ready(uid, before + 1);
    }
  });
  expect(counted.conflicts).toBe(0);
  expect(indicesOf(await stage.rowsOf(uid))).toEqual(zeroTo(capacity));
  await remove('apart', uid);
});

test(
  'a nineteenth node waits, which Events tell, until another leaves (A-60, A-62)',
  patient,
  async () => {
    const uid = await openDomain('crowded');
    await stage.addWorkload('crowded', nodesUpTo(capacity));
    const before = await stage.ready(uid, capacity);
    const [clique] = await stage.cliquesOf(uid);
    const cliqueID = text(at(list(at(clique, 'daemons'))[0], 'cliqueID'));
    const late = `node-${capacity}`;
    await stage.patch(`/api/v1/nodes/${late}`, {
      metadata: { labels: { [fabricLabel]: cliqueID } },
    });
    await stage.addWorkload('crowded', [late]);
    const events = await eventually(
      'told',
      () => stage.eventsWith('CliqueFull'),
      ({ length }) => length >= 2,
    );
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['Pod', 'ComputeDomain']));
    expect(events.every(({ note }) => note.includes(late))).toBe(true);
    expect(events[0]?.note).toContain('no available indices within maxNodesPerIMEXDomain (18)');
    expect(await stage.rowsOf(uid)).toEqual(before);

    await stage.removeWorkload('crowded', 'node-4');
    const after = await eventually(
      'admitted',
      () => stage.rowsOf(uid),
      (rows) => rows.some(([node, , status]) => node === late && status === 'Ready'),
    );
    const left = before.filter(([node]) => node !== 'node-4');
    expect(after.filter(([node]) => node !== late)).toEqual(left);
    expect(indicesOf(after)).toEqual(zeroTo(capacity));
    await remove('crowded', uid);
  },
);

test('indices that somebody spoils by hand are repaired (A-18, A-19)', patient, async () => {
  const uid = await openDomain('spoilt');
  await stage.addWorkload('spoilt', nodesUpTo(4));
  await stage.ready(uid, 4);
  const [clique] = await stage.cliquesOf(uid);
  const path = `${cliquesIn(driver)}/${text(at(clique, 'metadata', 'name'))}`;
  const rows = list(at(clique, 'daemons')).map((row) => object(row));
  const repaired = async (indices: readonly number[]): Promise<readonly number[]> => {
    const daemons = rows.map((row, place) => ({ ...row, index: indices[place] ?? place }));
    await stage.patch(path, { daemons });
    return indicesOf(await stage.ready(uid, 4));
  };
  expect(await repaired([0, 1, 1, 3])).toEqual(zeroTo(4));
  expect(await repaired([0, 1, 2, 1_000_000_000])).toEqual(zeroTo(4));
  // Events come when nothing else is to be written.
  await eventually(
    'Events of both',
    () => stage.eventsWith('CliqueIndexRepaired'),
    (events) =>
      [1, 1_000_000_000].every((index) =>
        events.some(({ note }) => note.includes(`index ${index} of node`)),
      ),
  );
  await remove('spoilt', uid);
});

test('a node without a fabric is in the status alone, with index -1 (A-66)', patient, async () => {
  const node = `node-${capacity + 1}`;
  await stage.patch(`/api/v1/nodes/${node}`, { metadata: { labels: { [fabricLabel]: '' } } });
  const uid = await openDomain('lonely', 1);
  await stage.addWorkload('lonely', [node]);
  const status = await eventually(
    'Ready',
    () => stage.status('lonely'),
    (one) => at(one, 'status') === 'Ready',
  );
  expect(list(at(status, 'nodes'))).toMatchObject([
    { name: node, cliqueID: '', index: -1, status: 'Ready' },
  ]);
  expect(await stage.cliquesOf(uid)).toEqual([]);
  await remove('lonely', uid);
});

test('domains that Grove makes for a set get cliques of the same process', patient, async () => {
  const podSpec = { containers: [gpuContainer(8)] };
  const cliques = ['worker', 'helper'].map((name) => ({ name, podSpec }));
  const body = enrolledSet(2, 'train', cliques);
  const metadata = { ...body.metadata, namespace: 'default' };
  await stage.post(setsIn('default'), { ...body, metadata });
  const domains = await eventually(
    'Ready',
    () => stage.items(domainsIn('default')),
    (found) =>
      found.length === 2 &&
      found.every(
        (one) => at(one, 'status', 'status') === 'Ready' && list(at(one, 'status', 'nodes')).length,
      ),
  );
  const uids = domains.map((one) => text(at(one, 'metadata', 'uid')));
  const rows = await Promise.all(uids.map((uid) => stage.rowsOf(uid)));
  for (const [place, one] of rows.entries()) {
    expect(one.length, `rows of ${place}`).toBeGreaterThan(0);
    expect(indicesOf(one)).toEqual(zeroTo(one.length));
  }
  await deleteSet(place.client, 'default', 'demo');
  for (const [place, uid] of uids.entries()) {
    await stage.gone(text(at(domains[place], 'metadata', 'name')), uid);
  }
});
