// A whole controller that serves agent-sandbox alone, on an embedded cluster without the CRDs of
// other modules and on a virtual clock: put together by the product's own composition root.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { startController, type Controller } from '#src/controller/start.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { type World, withWorld } from '#test/devcluster/controllers/support.ts';
import { seeded } from '#test/support/virtual-clock.ts';

const user = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
const host = 'embedded';

type Given = Partial<Configuration['agentSandbox']>;

const configuration = (agentSandbox: Given): Configuration => ({
  ...defaultConfiguration,
  modules: { grove: false, nvidia: false, agentsandbox: true },
  agentSandbox: { ...defaultConfiguration.agentSandbox, ...agentSandbox },
  bus: { ...defaultConfiguration.bus, enabled: false },
  server: {
    bindAddress: '127.0.0.1',
    metricsBindAddress: undefined,
    healthPort: 0,
    metricsPort: 0,
  },
});

export interface Stage {
  readonly world: World;
  /** All requests of the controller so far. */
  readonly requests: readonly RequestRecord[];
  /** What the controller logged that nobody should have to read. */
  readonly problems: readonly string[];
  readonly start: (given?: Given) => Promise<Controller>;
}

function crds(): readonly JsonObject[] {
  const folder = crdFolder('agentsandbox');
  const files = readdirSync(folder).map((file) => readFileSync(folder + file, 'utf8'));
  return files.flatMap((file) => parseAllDocuments(file).map((one) => object(one.toJS())));
}

/** Only the CRDs of agent-sandbox are there; controllers that were started are stopped. */
export async function withSandboxes(run: (stage: Stage) => Promise<void>): Promise<void> {
  await withWorld({ nodes: 3, plugins: [] }, async (world) => {
    for (const crd of crds()) {
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    await world.clock.advance(1_000);
    const requests: RequestRecord[] = [];
    world.cluster.requests.onRequest((one) => {
      if (one.user === user.name) requests.push(one);
    });
    const problems: string[] = [];
    const started: Controller[] = [];
    const start = async (given: Given = {}): Promise<Controller> => {
      const controller = await startOn(world, configuration(given), problems);
      started.push(controller);
      return controller;
    };
    try {
      await run({ world, requests, problems, start });
    } finally {
      const stopped = Promise.all(started.map((controller) => controller.stop()));
      await world.clock.drain();
      await stopped;
    }
  });
}

async function startOn(
  { cluster, clock }: World,
  configured: Configuration,
  problems: string[],
): Promise<Controller> {
  let ids = 0;
  const transport = cluster.transport(user, 'coppice-controller');
  return startController({
    configuration: configured,
    connection: {
      server: `https://${host}`,
      tls: { insecure: false },
      namespace: 'default',
      credentials: fixedCredentials(),
    },
    transport: {
      host,
      request: (request) => transport.request(request),
      watch: (path, sink) => transport.watch(path, sink),
      close: () => Promise.resolve(),
    },
    clock,
    random: seeded(7),
    ids: { next: () => String(++ids) },
    log: {
      line: (level, message, fields) => {
        if (level === 'error' || level === 'warn') {
          problems.push(`${level} ${message} ${JSON.stringify(fields)}`);
        }
      },
      level: () => 'info',
      setLevel: () => {},
      close: () => {},
    },
    version: 'test',
  });
}
