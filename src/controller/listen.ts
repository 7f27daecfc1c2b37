// Everything of the controller that listens on plain HTTP: probes and the actor tree, metrics, and
// profiles and the inspector where they are wanted. Called by start.ts.
import type { Clock } from '#actors/ports.ts';
import type { Configuration } from '#src/config/schema.ts';
import { profilingRoutes } from '#src/http/profiling.ts';
import { type RunningServer, type ServeOptions, serve } from '#src/http/server.ts';
import type { controllerRoutes } from '#src/http/routes.ts';
import type { Inspector } from '#src/inspector/server/start.ts';
import type { Log } from '#src/log/log.ts';

interface Listening {
  readonly configuration: Configuration;
  readonly routes: ReturnType<typeof controllerRoutes>;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: there is none. */
  readonly inspector: () => Promise<Inspector | undefined>;
}

export interface Listeners {
  readonly healthUrl: string;
  readonly metricsUrl: string;
  readonly inspector: Inspector | undefined;
  close(): Promise<void>;
}

/** Rejects with ListenError where a port cannot be had; then nothing listens any more. */
export async function listen(options: Listening): Promise<Listeners> {
  const { log } = options;
  const onError = (error: unknown, path: string): void =>
    log.line('error', 'request failed', { path, error: String(error) });
  const running: RunningServer[] = [];
  let inspector: Inspector | undefined;
  const close = async (): Promise<void> => {
    await Promise.allSettled([inspector?.close(), ...running.map((server) => server.close())]);
  };
  try {
    for (const wanted of servers(options)) running.push(await serve({ ...wanted, onError }));
    inspector = await options.inspector();
  } catch (error) {
    await close();
    throw error;
  }
  const [health, metrics = health] = running;
  if (health === undefined || metrics === undefined) throw new Error('nothing to listen on');
  return {
    healthUrl: urlOf(health),
    metricsUrl: urlOf(isShared(options) ? health : metrics),
    inspector,
    close,
  };
}

const isShared = ({ configuration: { server } }: Listening): boolean =>
  server.healthPort === server.metricsPort;

/** Health first, then metrics where they have a port of their own. */
function servers(options: Listening): Omit<ServeOptions, 'onError'>[] {
  const { configuration, routes, clock } = options;
  const { server, profiling } = configuration;
  const health = {
    host: server.bindAddress,
    port: server.healthPort,
    name: 'health',
    setting: 'server.healthPort',
    routes: isShared(options) ? { ...routes.health, ...routes.metrics } : routes.health,
  };
  const metrics = {
    host: server.metricsBindAddress ?? server.bindAddress,
    port: server.metricsPort,
    name: 'metrics',
    setting: 'server.metricsPort',
    routes: routes.metrics,
  };
  const profiles = {
    host: profiling.bindAddress,
    port: profiling.port,
    name: 'profiles',
    setting: 'profiling.port',
    routes: profilingRoutes(clock),
  };
  return [
    health,
    ...(isShared(options) ? [] : [metrics]),
    ...(profiling.enabled ? [profiles] : []),
  ];
}

const urlOf = ({ host, port }: RunningServer): string =>
  `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
