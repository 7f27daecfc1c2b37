// Who takes part in a run of the claims benchmark: the load, and the server of the claims, which is
// the product's controller or the floor. Each is a process of its own.
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#src/launch/flags.mjs';
import { Child } from '../cliques/process/child.ts';
import type { RequestCounts } from '../requests.ts';
import type { Site } from '../world.ts';
import { floorAgent, type FloorOrder } from './floor/floor.ts';
import type { BurstSeen, Loader } from './load/load.ts';

/** Who serves the claims. */
export interface ClaimServer {
  /** Name as its keys have it, to pid. */
  readonly pids: ReadonlyMap<string, number>;
  /** As its requests name it in the audit log. */
  readonly agent: string;
  /** Whether it makes members in place of those that were claimed. */
  readonly refills: boolean;
  /** So many members more, where the pool's size alone does not bring them. */
  fill(count: number): Promise<void>;
  /** Rejects when it cannot go on; else never settles. */
  broken(): Promise<never>;
  /** So far. */
  requests(): Promise<RequestCounts>;
  stop(): Promise<void>;
}

export type ServerName = 'controller' | 'floor' | 'list';

export type ClaimSite = Pick<
  Site,
  'kubeconfig' | 'client' | 'audited' | 'processes' | 'requests' | 'startController'
>;

const pickings = { floor: 'queue', list: 'list' } as const;
const never = new Promise<never>(() => {});

const mains = {
  floor: fileURLToPath(new URL('./floor/main.ts', import.meta.url)),
  load: fileURLToPath(new URL('./load/main.ts', import.meta.url)),
};

async function forked(name: keyof typeof mains, order: unknown): Promise<Child> {
  // With the flags of the product: with others the heap of a floor would grow in another way.
  const child = new Child(mains[name], nodeFlags);
  try {
    await child.ask('open', order);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

async function controller(site: ClaimSite): Promise<ClaimServer> {
  const life = await site.startController();
  return {
    // The site knows its pid.
    pids: new Map(),
    agent: 'coppice-controller',
    refills: true,
    fill: () => Promise.resolve(),
    broken: () => never,
    requests: () => site.requests(),
    stop: () => life.stop(),
  };
}

async function floor(order: FloorOrder): Promise<ClaimServer> {
  const child = await forked('floor', order);
  return {
    pids: new Map([['floor', child.pid]]),
    agent: floorAgent,
    refills: false,
    fill: async (count) => void (await child.ask('fill', count)),
    broken: async () => (await child.ask('broken')) as never,
    requests: async () => (await child.ask('requests')) as RequestCounts,
    stop: () => child.stop(),
  };
}

export const openServer = (
  site: ClaimSite,
  name: ServerName,
  effort: Pick<FloorOrder, 'inFlight' | 'busyUs'>,
): Promise<ClaimServer> =>
  name === 'controller'
    ? controller(site)
    : floor({ kubeconfig: site.kubeconfig, ...effort, picking: pickings[name] });

export async function openLoad(
  { kubeconfig }: ClaimSite,
  patienceSeconds: number,
): Promise<Loader & { readonly pid: number }> {
  const child = await forked('load', { kubeconfig, patienceSeconds });
  return {
    pid: child.pid,
    poolReady: async (replicas) => Number(await child.ask('poolReady', replicas)),
    membersReady: async (members) => Number(await child.ask('membersReady', members)),
    burst: async (order) => (await child.ask('burst', order)) as BurstSeen,
    stop: () => child.stop(),
  };
}
