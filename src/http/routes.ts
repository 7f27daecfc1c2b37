// What the controller serves over HTTP, put together: main.ts gives the sources, this gives the
// tables for the health server and the metrics server, or one for both.
import { type ActorTree, actorsHandler } from './actors.ts';
import { type Check, probeRoutes } from './probes.ts';
import { type Handler, markCostly, type Routes } from './server.ts';

export const metricsPath = '/metrics';

export interface Sources {
  readonly live: readonly Check[];
  readonly ready: readonly Check[];
  readonly actors: () => Iterable<ActorTree>;
  readonly metrics: { readonly render: () => Promise<string>; readonly contentType: string };
}

export interface ControllerRoutes {
  readonly health: Routes;
  readonly metrics: { readonly [metricsPath]: Handler };
}

export function controllerRoutes({ live, ready, actors, metrics }: Sources): ControllerRoutes {
  return {
    health: { ...probeRoutes(live, ready), '/actors': markCostly(actorsHandler(actors)) },
    metrics: {
      [metricsPath]: markCostly(async () => ({
        status: 200,
        type: metrics.contentType,
        body: await metrics.render(),
      })),
    },
  };
}
