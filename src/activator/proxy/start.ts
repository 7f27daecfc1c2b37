// The request path of an activator: takes requests for revisions, holds those for which there is no
// pod, and streams each to the pod that it gets. Started with a data plane, beside whoever starts
// the actors of revisions (../start.ts).
import { listen } from '#src/http/server.ts';
import { Deadlines } from './deadlines.ts';
import { Figures } from './figures.ts';
import { createServers, type Servers } from './listeners.ts';
import { type RequestPath, type RequestPathOptions, requestLimits } from './options.ts';
import { requestLogger } from './request-log.ts';
import { serveSecure } from './secure.ts';
import type { Shared } from './shared.ts';
import { RequestsUnderWay } from './under-way.ts';

export type { RequestPath, RequestPathOptions } from './options.ts';

/** Rejects with ListenError where a port cannot be had, and with a clear error for a template of
 *  the request log or a certificate that cannot be read. */
export async function startRequestPath(options: RequestPathOptions): Promise<RequestPath> {
  const state = { isDraining: false, isClosing: false };
  const shared = sharedOf(options, state);
  const servers = createServers(shared);
  const { host, http, h2c, https, isShared } = options.listen;
  const where = (port: number, name: string) => ({
    host,
    port,
    name,
    setting: `listen.${name}`,
    isShared: isShared ?? false,
  });
  const open: { close(): void }[] = [];
  try {
    const ports: { http: number; h2c?: number; https?: number } = {
      http: await listen(servers.http1, where(http, 'http')),
    };
    open.push(servers.http1);
    if (h2c !== undefined) {
      ports.h2c = await listen(servers.http2, where(h2c, 'h2c'));
      open.push(servers.http2);
    }
    if (https !== undefined) {
      const secure = await serveSecure(shared, servers, { ...https, host });
      ports.https = secure.port;
      open.push(secure);
    }
    return running(shared, servers, open, ports, state);
  } catch (error) {
    for (const each of open) each.close();
    throw error;
  }
}

interface State {
  isDraining: boolean;
  isClosing: boolean;
}

function sharedOf(options: RequestPathOptions, state: State): Shared {
  const { plane, demand, pods, rules, log, health, requestLog } = options;
  return {
    plane,
    demand,
    pods,
    rules,
    log,
    probes: {
      health,
      isDraining: () => state.isDraining,
      failed: (why) => log('warn', 'is not well', { why }),
    },
    clusterDomain: options.clusterDomain ?? 'cluster.local',
    isPassthrough: options.isPassthrough ?? false,
    limits: { ...requestLimits, ...options.limits },
    deadlines: new Deadlines(),
    figures: options.figures ?? new Figures(),
    podNameOf: options.podNameOf ?? (() => ''),
    requestLog: requestLog === undefined ? undefined : requestLogger(requestLog),
    underWay: new RequestsUnderWay(),
    isClosing: () => state.isClosing,
  };
}

function running(
  shared: Shared,
  servers: Servers,
  open: readonly { close(): void }[],
  ports: RequestPath['ports'],
  state: State,
): RequestPath {
  let draining: Promise<void> | undefined;
  const closed = (): void => {
    state.isClosing = true;
    for (const each of open) each.close();
    servers.closeIdle();
  };
  return {
    ports,
    figures: shared.figures,
    drain: () => {
      state.isDraining = true;
      draining ??= drain(shared, closed, servers.connections);
      return draining;
    },
    stop: async () => {
      state.isDraining = true;
      closed();
      for (const exchange of shared.underWay.all()) exchange.stop();
      servers.closeAll();
      shared.deadlines.stop();
      await Promise.resolve();
    },
  };
}

async function drain(
  { limits, underWay }: Shared,
  close: () => void,
  connections: () => number,
): Promise<void> {
  await wait(limits.drainMs);
  close();
  const deadline = setTimeout(() => {
    for (const exchange of underWay.all()) if (exchange.isUpgraded) exchange.leave();
  }, limits.upgradedMs);
  // Ends of requests are rare by now, and nobody waits for the last one to the millisecond.
  while (underWay.size > 0) await wait(pollMs);
  clearTimeout(deadline);
  // The last bytes of answers may be on their way yet.
  for (let ms = 0; connections() > 0 && ms < limits.lingerMs; ms += pollMs) await wait(pollMs);
}

const pollMs = 20;

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
