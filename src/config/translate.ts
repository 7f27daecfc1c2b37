// What a configuration of Grove's operator means here: the same settings in our own file's terms,
// and notes on what has no counterpart. Called by decode.ts.
import { at } from '#machines/kubernetes/json.ts';
import { below, type Field, type Problem } from './field.ts';
import { type OperatorConfiguration, operatorSchema } from './operator.ts';

export interface Translated {
  /** To be decoded like a file of ours. */
  readonly value: Record<string, unknown>;
  readonly problems: readonly Problem[];
  /** Sentences on fields that are passed over. */
  readonly notes: readonly string[];
}

/** A parsed file of Grove's kind. Paths of problems are those of that file. */
export function translate(
  file: object,
  header: { readonly apiVersion: string; readonly kind: string },
): Translated {
  const notes: string[] = [];
  const problems: Problem[] = [];
  const given = known(file, operatorSchema, '', notes);
  const operator = operatorSchema.decode(given, '', problems);
  notes.push(...withoutEffect(given));
  return { value: { ...header, ...sections(operator, given) }, problems, notes };
}

/** The value with only what the schema knows: Grove passes over fields that it does not know, and
 *  empty texts, which stand for none. `notes` gets the paths, for whoever misspelt a field. */
function known(
  value: unknown,
  { fields }: Pick<Field<unknown>, 'fields'>,
  path: string,
  notes: string[],
): unknown {
  if (fields === undefined) return value === '' ? undefined : value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => known(item, { fields }, `${path}[${index}]`, notes));
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const inside = below(path, name);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) notes.push(`${inside} is not known and is passed over`);
    else kept[name] = known(inner, field, inside, notes);
  }
  return kept;
}

const has = (given: unknown, ...path: readonly string[]): boolean =>
  at(given, ...path) !== undefined;

/** Grove limits its requests always. Here a limit is what the file asks for: without one the
 *  server's own fairness decides, which is the point of changing over. */
function sections(operator: OperatorConfiguration, given: unknown): Record<string, unknown> {
  const { runtimeClientConnection: client, server, debugging, leaderElection: election } = operator;
  const isLimited = has(given, 'runtimeClientConnection') && client.qps > 0;
  return {
    ...(isLimited ? { clientConnection: { qps: client.qps, burst: client.burst } } : {}),
    leases: {
      enabled: election.enabled,
      ...(election.resourceNamespace === undefined
        ? {}
        : { namespace: election.resourceNamespace }),
      durationSeconds: election.leaseDuration,
      renewSeconds: election.renewDeadline,
      retrySeconds: election.retryPeriod,
    },
    server: {
      bindAddress: server.healthProbes.bindAddress ?? everywhere,
      metricsBindAddress: server.metrics.bindAddress ?? everywhere,
      healthPort: server.healthProbes.port,
      metricsPort: server.metrics.port,
    },
    profiling: {
      enabled: debugging.enableProfiling,
      bindAddress: debugging.pprofBindHost,
      port: debugging.pprofBindPort,
    },
    log: { level: operator.logLevel, format: operator.logFormat },
    scheduler: operator.scheduler,
    admission: admissionOf(server.webhooks),
    authorizer: operator.authorizer,
    topologyAwareScheduling: operator.topologyAwareScheduling,
    network: operator.network,
  };
}

const everywhere = '0.0.0.0';

/** Grove serves its webhooks always, and its chart registers them. */
const admissionOf = (
  webhooks: OperatorConfiguration['server']['webhooks'],
): Record<string, unknown> => ({
  enabled: true,
  bindAddress: webhooks.bindAddress ?? everywhere,
  port: webhooks.port,
  registration: 'none',
  certificates: {
    mode: webhooks.certProvisionMode,
    secretName: webhooks.secretName,
    directory: webhooks.serverCertDir,
  },
});

/** What the file may say and what means nothing to actors. */
function withoutEffect(given: unknown): string[] {
  const rows: readonly (readonly [path: readonly string[], why: string])[] = [
    [['controllers'], 'actors need no workers; clientConnection.maxInFlight bounds the requests'],
    [['runtimeClientConnection', 'contentType'], 'requests are JSON'],
    [['runtimeClientConnection', 'acceptContentTypes'], 'answers are JSON'],
    [['leaderElection', 'resourceName'], 'each shard has a lease with a name of its own'],
  ];
  return rows
    .filter(([path]) => has(given, ...path))
    .map(([path, why]) => `${path.join('.')} has no effect: ${why}`);
}

const grovesNames: readonly (readonly [ours: string, groves: string])[] = [
  ['clientConnection', 'runtimeClientConnection'],
  ['leases.durationSeconds', 'leaderElection.leaseDuration'],
  ['leases.renewSeconds', 'leaderElection.renewDeadline'],
  ['leases.retrySeconds', 'leaderElection.retryPeriod'],
];

/** A problem found in our terms, told with the path that the file has. */
export function inGrovesTerms({ path, message }: Problem): Problem {
  const row = grovesNames.find(([ours]) => path.startsWith(ours));
  return row === undefined
    ? { path, message }
    : { path: row[1] + path.slice(row[0].length), message };
}
