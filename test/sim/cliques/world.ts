// The world of one run with ComputeDomains: an embedded cluster whose nodes share NVLink fabrics,
// and the lives of a controller that runs NVIDIA's module alone. run.ts lets things happen in it.
import { withSettings } from '#machines/contract/module.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { nvidiaPlugin } from '#src/devcluster/plugins/nvidia/index.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { nvidiaSettings } from '#src/modules/nvidia/settings.ts';
import type { Tag } from '../oracles/ownerships.ts';
import type { Machines } from '../world/machines.ts';
import { ModuleWorld, type ModuleWorldOptions } from '../world/module-world.ts';
import { Guards, treeOf } from './guards.ts';
import { driver } from './objects.ts';
import { CliqueOracle } from './oracle.ts';

export interface CliqueWorldOptions extends ModuleWorldOptions {
  /** How many nodes a clique may have. */
  readonly maxNodes: number;
}

export class CliqueWorld extends ModuleWorld<CliqueWorldOptions> {
  readonly oracle: CliqueOracle;
  readonly #guards: Guards;

  constructor(options: CliqueWorldOptions) {
    const machines = machinesFor(options);
    super(options, { plugins: [nvidiaPlugin], machines, group: '.resource.nvidia.com', treeOf });
    const { tally, oracles, cluster } = this;
    const seen = { store: cluster.store, tally, ...oracles };
    this.oracle = new CliqueOracle({ ...seen, maxNodes: options.maxNodes });
    this.#guards = new Guards(seen);
  }

  protected override guard(request: KubeRequest): void {
    this.#guards.judge(request);
  }

  protected override judge(
    tag: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse> {
    return this.oracle.judge(tag, request, carryOut);
  }

  protected override get witnesses(): CliqueOracle {
    return this.oracle;
  }

  protected override async furnish(
    post: (path: string, body: unknown) => Promise<void>,
  ): Promise<void> {
    await post('/api/v1/namespaces', { metadata: { name: driver } });
    const account = { metadata: { name: 'compute-domain-daemon-service-account' } };
    await post(`/api/v1/namespaces/${driver}/serviceaccounts`, account);
  }
}

function machinesFor({ maxNodes }: CliqueWorldOptions): Machines {
  const { computeDomains } = defaultConfiguration;
  const configuration = {
    ...defaultConfiguration,
    computeDomains: {
      ...computeDomains,
      image: 'driver:simulated',
      driverNamespace: driver,
      maxNodesPerImexDomain: maxNodes,
    },
  };
  const { behaviours, routes } = withSettings(nvidia, nvidiaSettings(configuration));
  return { behaviours, routes, watched: routes.map(({ kind }) => kind) };
}
