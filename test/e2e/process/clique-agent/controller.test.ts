// Agents and the controller, all of them processes, on a cluster in which nobody plays the daemons:
// agents join over NATS, and without it by their pods, and an outage moves nobody.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, text } from '#machines/kubernetes/json.ts';
import { installCrds } from '#src/dev/crds.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { KubeClient } from '#src/devcluster/controllers/client.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip, startTestServer } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { Programs } from '#test/support/program.ts';
import { CliqueStage, domainLabel, driver, nodesUpTo, settings } from '../cliques-stage.ts';
import { type Agent, Agents, tokenOf } from './agents.ts';

const count = 5;
const cliqueID = 'fabric.7';
const account = 'compute-domain-daemon-service-account';
const patient = { timeout: 120_000 };

const folder = mkdtempSync(join(tmpdir(), 'coppice-agents-'));
const programs = new Programs();
let cluster: Cluster;
let stage: CliqueStage;
let agents: Agents | undefined;
let nats: NatsServer | undefined;
let natsPort = 0;
let uid = '';

const startNats = async (): Promise<void> => {
  nats = await startTestServer({ dataDir: join(folder, 'nats'), port: natsPort });
};

beforeAll(async () => {
  if (natsSkip !== '') return;
  natsPort = await freePort();
  await startNats();
  const ports = { clock: systemClock, random: systemRandom };
  cluster = createCluster({ ...ports, nodes: count, dataDir: folder });
  await cluster.start();
  const client = cluster.transport();
  await installCrds(client);
  const { url, kubeconfigPath = '' } = await cluster.listen({ port: 0 });
  stage = new CliqueStage({ client });
  await stage.open();
  const secret = await tokenOf(new KubeClient(client), driver, account);
  agents = new Agents(programs, { ...secret, port: Number(new URL(url).port) });
  const configuration = join(folder, 'controller.json');
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      bus: { servers: [`nats://127.0.0.1:${natsPort}`], commands: true },
      ...settings,
    }),
  );
  const flags = ['--config', configuration, '--kubeconfig', kubeconfigPath];
  await programs.coppice('controller', ...flags).line(/controller synced/);
  uid = await stage.addDomain('training', count);
}, 60_000);
afterAll(async () => {
  await programs.end();
  await nats?.stop();
  await cluster?.stop();
  agents?.end();
  rmSync(folder, { recursive: true, force: true });
});

const podOn = async (node: string): Promise<unknown> =>
  (await stage.items(`/api/v1/namespaces/${driver}/pods`)).find(
    (pod) => at(pod, 'spec', 'nodeName') === node,
  );

/** The kubelet plugin labels the node, the DaemonSet makes the pod, and its container is this. */
async function joins(node: string): Promise<Agent> {
  await stage.patch(`/api/v1/nodes/${node}`, { metadata: { labels: { [domainLabel]: uid } } });
  const pod = await eventually(
    'a pod with an address',
    () => podOn(node),
    (one) => text(at(one, 'status', 'podIP')) !== '',
  );
  const started = agents?.run(
    {
      pod: {
        name: text(at(pod, 'metadata', 'name')),
        uid: text(at(pod, 'metadata', 'uid')),
        namespace: driver,
        node,
        ip: text(at(pod, 'status', 'podIP')),
      },
      domain: { uid, name: 'training', namespace: 'default', cliqueID },
      maxNodes: 18,
    },
    { COPPICE_NATS_URL: `nats://127.0.0.1:${natsPort}` },
  );
  if (started === undefined) throw new Error('there are no agents');
  return started;
}

const saysClique = async (node: string): Promise<boolean> =>
  at(await podOn(node), 'metadata', 'labels', `${domainLabel}.cliqueID`) === cliqueID;

const [n0 = '', n1 = '', n2 = '', n3 = '', n4 = ''] = nodesUpTo(count);

describe(`clique agents and the controller${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')(
    'join over NATS, by their pods while it is away, and stay when it is back (A-30)',
    patient,
    async () => {
      for (const [index, node] of [n0, n1].entries()) {
        const agent = await joins(node);
        await agent.program.line(/joined the clique/);
        await agent.program.line(new RegExp(`Identified this node as ID ${index}`));
      }
      expect(await Promise.all([n0, n1].map(saysClique))).toEqual([false, false]);

      await nats?.stop();
      for (const [place, node] of [n2, n3].entries()) {
        const agent = await joins(node);
        await agent.program.line(/the pod says its clique/);
        await agent.program.line(new RegExp(`Identified this node as ID ${place + 2}`));
      }
      expect(await Promise.all([n2, n3].map(saysClique))).toEqual([true, true]);
      const away = await stage.ready(uid, 4);

      await startNats();
      const agent = await joins(n4);
      await agent.program.line(/joined the clique/);
      await agent.program.line(/Identified this node as ID 4/);
      expect(await saysClique(n4)).toBe(false);
      const back = await stage.ready(uid, count);
      expect(back.filter(([node]) => node !== n4)).toEqual(away);
      expect(new Map(back.map(([node, index]) => [node, index]))).toEqual(
        new Map(nodesUpTo(count).map((node, index) => [node, index])),
      );
    },
  );
});
