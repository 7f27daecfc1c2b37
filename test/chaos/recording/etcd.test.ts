// The tape of etcd on a server that speaks as its gateway does: what is there, what changes, and a
// watch that is broken off in the middle of a line.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { EtcdTape } from './etcd.ts';
import type { Committed } from './records.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const kv = (key: string, version: number, object?: object): object => ({
  key: base64(key),
  mod_revision: String(version),
  ...(object === undefined ? {} : { value: base64(JSON.stringify(object)) }),
});

const named = (apiVersion: string, name: string): object => ({
  apiVersion,
  kind: 'Any',
  metadata: { name, namespace: 'default', managedFields: [{ manager: 'somebody' }] },
});

const pod = '/registry/pods/default/one';
const clique = '/registry/grove.io/podcliques/default/w';
const there = [
  kv('/registry/services/specs/default/svc', 7, named('v1', 'svc')),
  kv(pod, 5, named('v1', 'one')),
  kv('/registry/pods/kube-system/other', 6, named('v1', 'other')),
  kv('/registry/minions/kwok-0', 4, { kind: 'Node', apiVersion: 'v1', metadata: {} }),
  kv('/registry/daemonsets/nvidia-dra-driver-gpu/mesh', 3, named('apps/v1', 'mesh')),
  kv('/registry/services/endpoints/default/svc', 8, named('v1', 'svc')),
];

/** One answer for each watch, by its start. */
const watches = new Map<string, (response: ServerResponse) => void>([
  [
    '10',
    (response) => {
      const events = [{ kv: kv(clique, 10, named('grove.io/v1alpha1', 'w')) }];
      const line = JSON.stringify({ result: { events } });
      response.write(`{"result":{"created":true}}\n${line.slice(0, 40)}`);
      response.write(`${line.slice(40)}\n{"result":{"even`, () => response.destroy());
    },
  ],
  [
    '11',
    (response) => {
      const gone = { type: 'DELETE', kv: kv(pod, 11), prev_kv: kv(pod, 5, named('v1', 'one')) };
      response.write(`${JSON.stringify({ result: { events: [gone] } })}\n`);
    },
  ],
]);

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    if (request.url === '/v3/kv/range') {
      return void response.end(JSON.stringify({ header: { revision: '9' }, kvs: there }));
    }
    const body = JSON.parse(text) as { create_request: { start_revision: string } };
    watches.get(body.create_request.start_revision)?.(response);
  });
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('The tape of etcd has every change of its namespaces once, in order, over a broken watch', async () => {
  const taken: Committed[] = [];
  const { port } = server.address() as AddressInfo;
  const tape = new EtcdTape(`http://127.0.0.1:${port}`, (change) => taken.push(change));
  expect(await tape.start()).toBe(9);
  await eventually(
    'at version 11',
    () => tape.version,
    (version) => version === 11,
  );
  await tape.stop();
  const told = taken.map(({ version, collection, isDeleted }) => [version, collection, isDeleted]);
  expect(told).toEqual([
    [3, 'apps/daemonsets', false],
    [4, '/nodes', false],
    [5, '/pods', false],
    [7, '/services', false],
    [10, 'grove.io/podcliques', false],
    [11, '/pods', true],
  ]);
  expect(taken.at(-1)?.object).toMatchObject({ metadata: { name: 'one', resourceVersion: '11' } });
  expect(taken.at(-1)?.object.metadata).not.toHaveProperty('managedFields');
});
