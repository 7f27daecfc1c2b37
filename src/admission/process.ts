// The admission webhooks of a process, on a connection of their own: lookups stand in no queue
// behind the writes of the controller. Made by the composition root (src/controller/start.ts).
import type { Clock, Telemetry } from '#actors/ports.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { ModuleEdge, WebhooksOf } from '#src/modules/edge.ts';
import type { AnswerEvent } from './server.ts';
import type { Admission } from './start.ts';

interface Options {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  /** Those that are served. */
  readonly edges: readonly ModuleEdge[];
  /** Instead of one over the connection; stays open. */
  readonly transport?: KubeTransport;
  readonly clock: Clock;
  readonly log: { readonly line: Telemetry['log'] };
  readonly version: string;
  readonly onAnswer: (event: AnswerEvent) => void;
}

type Loading = Promise<WebhooksOf>;

/** Undefined where the configuration does not want webhooks, or no module has some: then none of
 *  it is even loaded. */
export function processAdmission(options: Options): Admission | undefined {
  const { configuration } = options;
  if (!configuration.admission.enabled) return undefined;
  const wanted = options.edges.flatMap(({ webhooks }) => webhooks?.(configuration) ?? []);
  if (wanted.length === 0) return undefined;
  let loaded: Admission | undefined;
  const loading = load(options, wanted).then((started) => (loaded = started));
  return {
    ready: {
      name: 'admission',
      run: () => (loaded === undefined ? 'is being loaded' : loaded.ready.run()),
    },
    started: loading.then(({ started }) => started),
    servedUntil: () => loaded?.servedUntil(),
    stop: async () => (await loading).stop(),
  };
}

async function load(options: Options, wanted: readonly Loading[]): Promise<Admission> {
  const { configuration, connection, clock, log, version, onAnswer } = options;
  const { startAdmission } = await import('./start.ts');
  const made = await Promise.all(wanted);
  const userAgent = `coppice-controller/${version} admission`;
  const own = httpTransport(connection, { userAgent, sockets: 8 });
  const transport = options.transport ?? own;
  const admission = startAdmission({
    configuration,
    transport,
    webhooks: made.flatMap((webhooksOf) => webhooksOf({ configuration, transport, clock })),
    namespace: connection.namespace,
    clock,
    log: log.line,
    onAnswer,
  });
  return {
    ...admission,
    stop: async () => {
      await admission.stop();
      await own.close();
    },
  };
}
