// What the network policies of the chart let through: nothing but the flows that its README lists.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rendered, unbuilt } from '#test/cluster/chart.ts';
import { objectsIn, ofKind } from './manifests.ts';

const skip = unbuilt('helm');

/** `app` of the pods, the namespace of a client, or `anywhere`. */
const peerOf = (peer: unknown): string => {
  const app = at(peer, 'podSelector', 'matchLabels', 'app.kubernetes.io/name');
  return text(app ?? at(peer, 'namespaceSelector', 'matchLabels', 'name'));
};

const flowsOf = (policy: unknown, direction: 'ingress' | 'egress'): readonly string[] =>
  list(at(policy, 'spec', direction)).flatMap((rule) => {
    const peers = list(at(rule, direction === 'ingress' ? 'from' : 'to')).map(peerOf);
    const ports = list(at(rule, 'ports')).map((port) => String(at(port, 'port')));
    return (peers.length === 0 ? ['anywhere'] : peers).map((peer) => `${peer} ${ports.join(' ')}`);
  });

describe.skipIf(skip !== '')(`The flows of the chart${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-flows-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const policies = async (values: JsonObject) =>
    ofKind(objectsIn(await rendered(folder, values)), 'NetworkPolicy');

  it('are those that the README lists', async () => {
    const client = (name: string) => [{ namespaceSelector: { matchLabels: { name } } }];
    const of = await policies({
      natsSecretName: 'token',
      nats: { enabled: true },
      networkPolicy: { clients: client('monitoring'), natsClients: client('driver') },
    });
    expect(flowsOf(of['coppice'], 'ingress')).toEqual([
      'anywhere webhooks',
      'coppice questions',
      'monitoring questions',
    ]);
    const toApi = ['anywhere 443 6443', 'anywhere 53 53'];
    expect(flowsOf(of['coppice'], 'egress')).toEqual([...toApi, 'coppice 2754', 'nats 4222']);
    expect(flowsOf(of['coppice-nats'], 'ingress')).toEqual(['coppice nats', 'driver nats']);
    expect(flowsOf(of['coppice-nats'], 'egress')).toEqual([]);
    expect(flowsOf(of['coppice-crds'], 'ingress')).toEqual([]);
    expect(flowsOf(of['coppice-crds'], 'egress')).toEqual(toApi);
    expect(Object.keys(of)).toHaveLength(3);
  });

  it('open the port of plain metrics, and ports of servers of NATS, where these are used', async () => {
    const config = {
      bus: { enabled: true, servers: ['nats://a:4333'] },
      server: { metricsBindAddress: '0.0.0.0' },
    };
    const of = await policies({ config, networkPolicy: { natsPorts: [4333] } });
    expect(flowsOf(of['coppice'], 'ingress')).toContain('coppice questions metrics');
    expect(flowsOf(of['coppice'], 'egress')).toContain('anywhere 4333');
  });

  it('open the ports of a collector of traces where there is one', async () => {
    const of = await policies({ networkPolicy: { collectorPorts: [4318, 4317] } });
    expect(flowsOf(of['coppice'], 'egress')).toContain('anywhere 4318 4317');
    expect(flowsOf(of['coppice-crds'], 'egress').join()).not.toContain('4318');
  });

  it('are not restricted where the values say so', async () => {
    expect(await policies({ networkPolicy: { enabled: false } })).toEqual({});
  });
});
