// The inspector as one part of the controller: its own listener on loopback, and what the server of
// the questions serves of it to other processes and to whoever comes by TLS. Loaded and made by
// process.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock, Ids, ShardLease, Telemetry } from '#actors/ports.ts';
import { serviceNames } from '#src/admission/certificates/keeper.ts';
import type { Configuration } from '#src/config/schema.ts';
import { servePlainly } from '#src/http/server.ts';
import { manifestName } from '#src/inspector/page/manifest.ts';
import type { Reflection } from '#src/kube/client.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { Access } from './access.ts';
import { Feed } from './feed.ts';
import { inspectorLimits } from './limits.ts';
import type { LocalAccess } from './local.ts';
import { Others } from './others.ts';
import { Page } from './page.ts';
import { responder } from './respond.ts';
import { apiRoutes } from './routes.ts';
import type { Process, Source } from './source.ts';
import { Streams } from './streams.ts';
import type { Traffic } from './traffic.ts';

export interface Inspector {
  /** `http://127.0.0.1:2755` */
  readonly url: string;
  /** For requests that come to the server of the questions. Never rejects. */
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all streams, and frees the port. */
  close(): Promise<void>;
}

export interface InspectorOptions {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  /** Instead of one over the connection; stays open. */
  readonly transport?: KubeTransport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: { readonly line: Telemetry['log'] };
  readonly version: string;
  /** The way in of `coppice dev`; absent: tokens of the cluster alone. */
  readonly local?: LocalAccess;
  /** Where the page is, once it is wanted; absent: where its build puts it. */
  readonly pageFolder?: (() => Promise<string>) | undefined;
  readonly source: Source;
  readonly lease: ShardLease;
  readonly traffic: Pick<Traffic, 'answers' | 'writesPerSecond'>;
  readonly reflection: () => Pick<Reflection, 'health'> | undefined;
  readonly peer: Process['peer'];
}

/** Rejects with ListenError where the port cannot be had. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { configuration, connection, clock, log, version, source, local } = options;
  const { inspector } = configuration;
  const userAgent = `coppice-controller/${version} inspector`;
  const own = httpTransport(connection, { userAgent, sockets: 16 });
  const transport = options.transport ?? own;
  const process = processOf(options);
  const access = new Access({ transport, clock, local });
  const inspected = { source, process, access, others: new Others(process) };
  const feed = new Feed(source, clock);
  const streams = new Streams(inspected, feed);
  const respond = responder({
    routes: apiRoutes(inspected, feed, streams),
    access,
    page: new Page(pageFolderOf(options), (error) =>
      log.line('warn', 'the inspector has no page', { error: String(error) }),
    ),
    clock,
    onError: (error, path) =>
      log.line('error', 'a request to the inspector failed', { path, error: String(error) }),
  });
  const hosts = inspector.hosts.map((host) => host.toLowerCase());
  const loopback = { isSecure: false, hosts, byAddress: false };
  // Other processes come by the address in the lease.
  const published = configuration.questions.host?.toLowerCase() ?? 'localhost';
  const names = [...serviceNames(configuration, connection.namespace), published];
  const secure = { isSecure: true, hosts: [...hosts, ...names], byAddress: true };
  const { bindAddress: host, port } = inspector;
  const where = { host, port, name: 'inspector', setting: 'inspector.port' };
  const server = await servePlainly({ ...where, limits: inspectorLimits }, (request, response) =>
    respond(loopback, request, response),
  ).catch(async (error: unknown) => {
    await own.close();
    throw error;
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    respond: (request, response) => respond(secure, request, response),
    close: async () => {
      streams.stop();
      await server.close();
      await own.close();
    },
  };
}

function processOf({ configuration, clock, ids, log, ...options }: InspectorOptions): Process {
  const { bus } = configuration;
  return {
    version: options.version,
    id: ids.next(),
    startedAt: clock.now(),
    stream: bus.enabled && bus.history.enabled ? 'jetstream' : 'none',
    lease: options.lease,
    answers: () => options.traffic.answers(),
    writesPerSecond: () => options.traffic.writesPerSecond(),
    watches: () =>
      (options.reflection()?.health() ?? []).flatMap(({ kind, ageMs }) =>
        ageMs === null ? [] : [{ kind, ageMs: Math.round(ageMs) }],
      ),
    clock,
    log: log.line,
    peer: options.peer,
  };
}

function pageFolderOf({ configuration, pageFolder }: InspectorOptions): () => Promise<string> {
  const { pageFolder: given = builtPage() } = configuration.inspector;
  const isGiven = configuration.inspector.pageFolder !== undefined;
  return (isGiven ? undefined : pageFolder) ?? (() => Promise.resolve(given));
}

/** Where `npm run build` puts the page: beside the code that it bundles, or from the sources in
 *  dist/. */
function builtPage(): string {
  const beside = fileURLToPath(new URL('../page', import.meta.url));
  if (existsSync(`${beside}/${manifestName}`)) return beside;
  return fileURLToPath(new URL('../../../dist/page', import.meta.url));
}
