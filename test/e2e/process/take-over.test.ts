// In the place of NVIDIA's controller and back: what that one has left is taken over without a
// write, and what it finds when it comes back is what it would have made itself.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import { get } from '#test/support/workload.ts';
import {
  CliqueStage,
  cliquesIn,
  domainLabel,
  domainsIn,
  driver,
  settings,
} from './cliques-stage.ts';
import { childrenOf, cliqueBody, domainBody, type Member, statusBody } from './driver-objects.ts';

const patient = { timeout: 120_000 };
const name = 'training';
let place: Place;
let stage: CliqueStage;
/** In the order in which daemons came, with a hole where one has left. */
let indices: Map<string, number>;
let uid = '';
let clique = '';

const podsOf = (): Promise<readonly unknown[]> =>
  stage.items(`/api/v1/namespaces/${driver}/pods?labelSelector=${domainLabel}=${uid}`);

async function members(): Promise<readonly Member[]> {
  const pods = await podsOf();
  return [...indices].map(([node, index]) => {
    const pod = pods.find((one) => at(one, 'spec', 'nodeName') === node);
    return {
      node,
      index,
      ip: text(at(pod, 'status', 'podIP')),
      pod: text(at(pod, 'metadata', 'name')),
      uid: text(at(pod, 'metadata', 'uid')),
    };
  });
}

/** As the driver's controller, its kubelet plugin and its daemons do it. */
async function leave(): Promise<void> {
  const made = await stage.post(domainsIn('default'), domainBody(name));
  uid = text(at(made, 'metadata', 'uid'));
  for (const { collection, body } of childrenOf(name, uid)) await stage.post(collection, body);
  await stage.addWorkload(name, [...indices.keys()]);
  await stage.daemonsReady(uid, indices.size);
  const [first] = await podsOf();
  const cliqueID = text(at(first, 'metadata', 'labels', `${domainLabel}.cliqueID`));
  const all = await members();
  clique = `${cliquesIn(driver)}/${uid}.${cliqueID}`;
  await stage.post(cliquesIn(driver), cliqueBody(uid, cliqueID, all));
  const status = statusBody(cliqueID, all.toReversed());
  await stage.patch(`${domainsIn('default')}/${name}/status`, { status });
}

const ours = ['computedomains', 'cliques', 'daemonsets', 'templates', 'nodes', 'pods'];

/** Requests of controllers that would change something of the domain. */
async function writes(): Promise<readonly string[]> {
  const lines = Object.entries(await place.requests()).map((entry) => entry.join(' '));
  return lines.filter(
    (line) =>
      /^(create|update|patch|delete)/.test(line) &&
      ours.some((resource) => line.includes(resource)),
  );
}

const actors = async (url: string): Promise<string> =>
  JSON.stringify(await (await fetch(`${url}/actors`)).json());

beforeEach(async () => {
  place = new Place();
  stage = new CliqueStage(place);
  indices = new Map([
    ['node-2', 0],
    ['node-0', 3],
    ['node-1', 1],
  ]);
  await place.start({ nodes: 4 });
  await stage.open();
  await leave();
}, 60_000);
afterEach(() => place.end());

/** A domain of which the driver's controller knows nothing. */
async function addYounger(): Promise<void> {
  await stage.addDomain('younger');
  await eventually(
    'Ready',
    () => stage.status('younger'),
    (one) => at(one, 'status') === 'Ready',
  );
}

test('what the driver has left is taken over without a write (A-44)', patient, async () => {
  const { program, url } = await place.controller(settings);
  await program.line(/controller synced/);
  await eventually(
    'taken over',
    () => actors(url),
    (all) =>
      all.includes('"membership":"complete","table":"agreed"') &&
      all.includes('"children":"complete"'),
  );
  // Whatever it would write of the elder one it has written before a younger one is Ready.
  const before = await get(place.client, clique);
  const domain = await stage.status(name);
  await addYounger();
  expect(await get(place.client, clique)).toEqual(before);
  expect(await stage.status(name)).toEqual(domain);
  // Of the younger one: its finalizer and status, and its children.
  expect((await writes()).toSorted()).toEqual([
    'create daemonsets 201 1',
    'create resourceclaimtemplates 201 2',
    'patch computedomains 200 1',
    'update computedomains/status 200 1',
  ]);
});

test('the driver finds everything as it would have made it (A-46)', patient, async () => {
  const { program } = await place.controller(settings);
  await program.line(/controller synced/);
  await addYounger();
  const [gone, ...others] = await members();
  await deletePod(gone);
  indices.set('node-3', 2);
  await stage.addWorkload(name, ['node-3']);
  const owners = async (): Promise<readonly unknown[]> =>
    list(at(await get(place.client, clique), 'metadata', 'ownerReferences'));
  await eventually(
    'joined',
    async () => [await members(), await owners(), await stage.ready(uid, indices.size)] as const,
    ([all, known]) =>
      all.every((one) => one.uid !== gone?.uid && one.uid !== '') &&
      all.every((one) => known.some((owner) => at(owner, 'uid') === one.uid)) &&
      known.length === all.length,
  );
  program.signal('SIGTERM');
  await program.ended;

  const all = await members();
  expect(all.filter(({ node }) => others.some((one) => one.node === node))).toEqual(others);
  const found = object(await get(place.client, clique));
  const cliqueID = text(at(found, 'metadata', 'labels', `${domainLabel}.cliqueID`));
  const { daemons, metadata } = cliqueBody(uid, cliqueID, all);
  const { ownerReferences, ...identity } = metadata;
  expect(list(found['daemons'])).toHaveLength(daemons.length);
  expect(list(found['daemons'])).toEqual(expect.arrayContaining(daemons));
  expect(found['metadata']).toMatchObject(identity);
  expect(found['metadata']).not.toHaveProperty('finalizers');
  expect(await owners()).toEqual(expect.arrayContaining(ownerReferences));
  for (const domain of [name, 'younger']) await expectAsDriver(domain);

  const [restarted, ...left] = all;
  await deletePod(restarted);
  await eventually(
    'with a successor',
    async () => (await stage.daemonsReady(uid, indices.size), members()),
    ([successor]) => successor?.uid !== restarted?.uid,
  );
  expect((await members()).slice(1)).toEqual(left);
  expect(at(await get(place.client, clique), 'daemons')).toEqual(found['daemons']);
});

const deletePod = (member: Member | undefined): Promise<unknown> =>
  stage.delete(`/api/v1/namespaces/${driver}/pods/${member?.pod}?gracePeriodSeconds=0`);

async function expectAsDriver(domain: string): Promise<void> {
  const path = `${domainsIn('default')}/${domain}`;
  const found = await get(place.client, path);
  expect(at(found, 'metadata', 'finalizers')).toEqual([domainLabel]);
  const children = childrenOf(domain, text(at(found, 'metadata', 'uid')));
  for (const { collection, body } of children) {
    expect(await get(place.client, `${collection}/${body.metadata.name}`)).toMatchObject(body);
  }
}
