// The simulated cluster's controllers, started together: ordinary clients of the API server on the
// clock and randomness they are given. The embedded cluster starts them; so do simulations.
import type { Clock, Random } from '#actors/ports.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { ClusterPlugin } from '../plugins/contract.ts';
import { KubeClient } from './client.ts';
import { DaemonSets } from './daemon-sets/index.ts';
import { GarbageCollector } from './garbage-collector/index.ts';
import { Informers } from './informer.ts';
import { Kubelet } from './kubelet/index.ts';
import { Nodes } from './kubelet/nodes.ts';
import { LostPods } from './lost-pods.ts';
import { Namespaces } from './namespaces.ts';
import { withDefaults } from './options.ts';
import type { Controller, ControllerContext, ControllerLog, ControllerOptions } from './options.ts';
import { Scheduler } from './scheduler/index.ts';
import { ServiceAccounts } from './service-accounts.ts';
import { Volumes } from './volumes.ts';

export type { ControllerLog, ControllerOptions, Credentials, TokenClaim } from './options.ts';

export interface ControllersStart {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  /** The number of simulated nodes. */
  readonly nodes: number;
  readonly options?: ControllerOptions;
  readonly plugins: readonly ClusterPlugin[];
  /** The way to the server for a process in a pod that has this token; default: `transport`. */
  readonly connect?: (token: string) => KubeTransport;
  readonly log?: ControllerLog;
}

export interface RunningControllers {
  /** Ends all loops; resolves when no request is under way any more. */
  stop(): Promise<void>;
  /** True when all caches are filled and no loop has work, at once or at a time it waits for;
   *  lease renewals do not count. */
  idle(): boolean;
}

export function startControllers(start: ControllersStart): RunningControllers {
  const client = new KubeClient(start.transport);
  const informers = new Informers(client, start.clock);
  const context: ControllerContext = {
    client,
    informers,
    clock: start.clock,
    random: start.random,
    settings: withDefaults(start.options),
    connect: start.connect ?? (() => start.transport),
    log: start.log ?? (() => {}),
  };
  const controllers: readonly Controller[] = [
    new Namespaces(context),
    new ServiceAccounts(context),
    new Nodes(context, start.nodes),
    new Scheduler(
      context,
      start.plugins.flatMap(({ gangs }) => gangs ?? []),
    ),
    ...start.plugins.flatMap(({ agents = [] }) => agents.map((agent) => agent(context))),
    new Kubelet(
      context,
      start.nodes,
      start.plugins.flatMap(({ initProgram }) => initProgram ?? []),
      start.plugins.find(({ runtime }) => runtime !== undefined)?.runtime,
    ),
    new GarbageCollector(context),
    new DaemonSets(context),
    new LostPods(context),
    new Volumes(context),
  ];
  return {
    idle: () => informers.synced && controllers.every((each) => each.idle),
    stop: async () => {
      for (const controller of controllers) controller.stop();
      informers.stop();
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (client.inFlight === 0) resolve();
          else start.clock.soon(look);
        };
        look();
      });
    },
  };
}
