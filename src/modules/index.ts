// What each module of machines/index.ts brings to the edge, and those that the configuration
// switches on. Asked by the composition root (src/controller/start.ts), by `coppice dev`, its
// rehearsal and `coppice cluster`.
import { modules as known } from '#machines/index.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { ClusterPlugin } from '#src/devcluster/cluster.ts';
import type { ModuleEdge, PreflightOptions } from './edge.ts';
import { agentSandboxEdge } from './agentsandbox/edge.ts';
import { groveEdge } from './grove/edge.ts';
import { nvidiaEdge } from './nvidia/edge.ts';

const edges: readonly ModuleEdge[] = [groveEdge, nvidiaEdge, agentSandboxEdge];

export const moduleEdges: readonly ModuleEdge[] = known.map(({ name }) => {
  const edge = edges.find((one) => one.name === name);
  if (edge === undefined) throw new Error(`src/modules/ has no row for the module ${name}`);
  return edge;
});

export const servedEdges = ({ modules }: Configuration): readonly ModuleEdge[] =>
  moduleEdges.filter(({ name }) => modules[name]);

/** For the embedded cluster, which has the CRDs of all modules, served or not. */
export const clusterPlugins = (): Promise<readonly ClusterPlugin[]> =>
  Promise.all(moduleEdges.flatMap(({ plugin }) => plugin?.() ?? []));

/** The kinds that are watched. Rejects with what the first module says that lacks something. */
export async function preflight(
  served: readonly ModuleEdge[],
  options: PreflightOptions,
): Promise<readonly Kind[]> {
  const watched = new Set<Kind>();
  for (const edge of served) {
    for (const kind of await edge.preflight(options)) watched.add(kind);
  }
  return [...watched];
}
