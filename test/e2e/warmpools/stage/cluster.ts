// The cluster under a scenario, the same to it whether it is the embedded one or a real control
// plane: how to reach it, eyes that see what really happens there, controllers as processes, and a
// NATS of their own. Called by describe.ts.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { releaseNamespace } from '#test/cluster/chart.ts';
import { transportOf } from '#test/cluster/client.ts';
import { freshName } from '#test/support/fresh-name.ts';
import { natsSkip, startTestServer } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { Onlooker, type Watched } from '#src/bench/onlooker.ts';
import { Place, type Running } from '#test/support/place.ts';
import { tally } from '../../real/audit.ts';
import type { Given } from '../../real/given.ts';
import { Stage } from '../../real/stage.ts';

const watched: Watched[] = ['pods', 'sandboxes', 'sandboxclaims', 'sandboxwarmpools'];

/** `create pods 201` to 10. */
export type Requests = Readonly<Record<string, number>>;

export interface Cluster {
  /** Of a user who may do anything. */
  readonly kubeconfig: string;
  readonly client: KubeTransport;
  readonly onlooker: Onlooker;
  /** Where controllers may have Leases. */
  readonly leaseNamespace: string;
  /** Whether somebody makes the volumes that are claimed. */
  readonly hasProvisioner: boolean;
  namespace(wanted: string): Promise<string>;
  /** A process more; not synced yet. */
  controller(settings: JsonObject): Promise<Running>;
  /** Throws where there is none on this machine. */
  natsUrl(): string;
  /** SIGKILL for NATS, its memory and files gone, and another start on the same port. */
  wipeNats(): Promise<void>;
  /** Of controllers so far, on objects in this namespace where the cluster tells them apart. */
  requests(namespace: string): Promise<Requests>;
  end(): Promise<void>;
}

/** A process of its own, started for the test file. */
export async function embeddedCluster(): Promise<Cluster> {
  const place = new Place();
  try {
    await place.start({ nodes: 20 });
    const { client, kubeconfig } = place;
    const onlooker = new Onlooker(client, watched);
    await onlooker.synced;
    return {
      kubeconfig,
      client,
      onlooker,
      leaseNamespace: 'default',
      hasProvisioner: true,
      namespace: async (wanted) => {
        const name = freshName(wanted);
        const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
        await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
        return name;
      },
      controller: (settings) => place.controller(settings),
      natsUrl: () => urlOf(place.nats),
      wipeNats: () => place.wipeNats(),
      requests: async () => (await place.requests()) as Requests,
      end: async () => {
        onlooker.stop();
        await place.end();
      },
    };
  } catch (error) {
    await place.end();
    throw error;
  }
}

/** The one that the tests on the real control plane share; controllers have the chart's rights. */
export async function realCluster(given: Given): Promise<Cluster> {
  const stage = new Stage(given, await transportOf(given.kubeconfig));
  const onlooker = new Onlooker(stage.transport, watched);
  const port = await freePort();
  const dataDir = join(stage.folder, 'nats');
  let nats: NatsServer | undefined;
  const startNats = async (): Promise<void> => {
    if (natsSkip === '') nats = await startTestServer({ dataDir, port });
  };
  await startNats();
  await onlooker.synced;
  let files = 0;
  return {
    kubeconfig: given.kubeconfig,
    client: stage.transport,
    onlooker,
    leaseNamespace: releaseNamespace,
    hasProvisioner: false,
    namespace: (name) => stage.namespace(name),
    controller: async (settings) => {
      const file = join(stage.folder, `controller-${files++}.json`);
      const bus = nats === undefined ? { enabled: false } : { servers: [nats.url] };
      const usual = { apiVersion: 'coppice.dev/v1alpha1', kind: 'CoppiceConfiguration', bus };
      const server = { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 };
      writeFileSync(file, JSON.stringify({ ...usual, server, ...settings }));
      const flags = ['--config', file, '--kubeconfig', given.controllerKubeconfig];
      const program = stage.coppice('controller', ...flags);
      const [, url = ''] = await program.line(/"health":"([^"]+)"/);
      return { program, url };
    },
    natsUrl: () => urlOf(nats),
    wipeNats: async () => {
      if (nats === undefined) return;
      process.kill(nats.pid, 'SIGKILL');
      await nats.exited;
      rmSync(dataDir, { recursive: true, force: true });
      await startNats();
    },
    requests: (namespace) => Promise.resolve(tally(stage.audit.requests(namespace))),
    end: async () => {
      onlooker.stop();
      await nats?.stop();
      await stage.end();
    },
  };
}

function urlOf(nats: NatsServer | undefined): string {
  if (nats === undefined) throw new Error('NATS has not been started');
  return nats.url;
}
