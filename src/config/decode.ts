// From the text of a configuration file to a valid Configuration, or to all its problems at once.
// Pure; src/config/load.ts reads the file.
import { parseDocument } from 'yaml';
import { termsError, termsOf } from '#actors/shards/lease/terms.ts';
import { at } from '#machines/kubernetes/json.ts';
import { checkActivator } from './activator.ts';
import { checkAgentSandbox } from './agent-sandbox.ts';
import { checkComputeDomains } from './compute-domains.ts';
import { checkPort, type Problem } from './field.ts';
import { checkInspector } from './inspector.ts';
import { operatorApiVersion, operatorKind } from './operator.ts';
import { checkQuestions } from './questions.ts';
import { apiVersion, type Configuration, kind, schema } from './schema.ts';
import { inGrovesTerms, translate } from './translate.ts';

export type DecodeResult =
  | {
      readonly ok: true;
      readonly configuration: Configuration;
      /** Sentences on what of a file of Grove's has no effect here. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The configuration of someone who sets nothing. */
export const defaultConfiguration: Configuration = schema.fallback;

/** YAML or JSON (which is YAML). */
export function decodeText(text: string): DecodeResult {
  const parsed = parsedText(text);
  return 'problems' in parsed ? { ok: false, ...parsed } : decodeValue(parsed.value);
}

/** Those that follow are mostly of the same cause. */
const maxYamlErrors = 10;

/** The parser throws for aliases that multiply, for those that nothing is named by, and for what is
 *  nested too deeply. */
function parsedText(
  text: string,
): { readonly value: unknown } | { readonly problems: readonly Problem[] } {
  try {
    const document = parseDocument(text, { prettyErrors: true });
    const errors = document.errors.slice(0, maxYamlErrors);
    if (errors.length > 0) return { problems: errors.map(yamlProblem) };
    return { value: document.toJS() };
  } catch (error) {
    return { problems: [yamlProblem(error instanceof Error ? error : new Error(String(error)))] };
  }
}

/** The first line of a message has line and column; the rest is a drawing of the place. */
const yamlProblem = ({ message }: Error): Problem => ({
  path: '',
  message: `is not valid YAML: ${message.split('\n')[0]?.replace(/:$/, '') ?? ''}`,
});

/** A parsed file. */
export function decodeValue(value: unknown): DecodeResult {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `must hold an object with apiVersion: ${apiVersion} and kind: ${kind}`;
    return { ok: false, problems: [{ path: '', message }] };
  }
  if (!isGroves(value)) return decodeOwn(value);
  const { value: own, problems, notes } = translate(value, { apiVersion, kind });
  const result = decodeOwn(own);
  const all = [...problems, ...(result.ok ? [] : result.problems.map(inGrovesTerms))];
  if (all.length > 0 || !result.ok) return { ok: false, problems: all };
  return { ...result, notes };
}

const isGroves = (value: object): boolean =>
  at(value, 'kind') === operatorKind && at(value, 'apiVersion') === operatorApiVersion;

function decodeOwn(value: object): DecodeResult {
  const problems: Problem[] = [];
  const decoded = schema.decode(value, '', problems);
  for (const [name, right] of Object.entries({ apiVersion, kind })) {
    if (name in value) continue;
    problems.push({ path: name, message: `is missing, it must be ${right}` });
  }
  const configuration = { ...decoded, scheduler: completeScheduler(decoded.scheduler) };
  const { certFile, keyFile } = configuration.bus.tls;
  problems.push(
    ...checkScheduler(configuration.scheduler),
    ...checkLimits(configuration),
    ...checkBoth('bus.tls', { certFile, keyFile }),
    ...checkAccess(configuration),
    ...checkLeases(configuration),
    ...checkAdmission(configuration),
    ...checkQuestions(configuration),
    ...checkInspector(configuration),
    ...checkComputeDomains(
      configuration.computeDomains,
      configuration.modules.nvidia,
      configuration.bus,
    ),
    ...checkAgentSandbox(configuration.agentSandbox),
    ...checkActivator(configuration.activator),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, configuration, notes: [] };
}

/** Spec api 6.2: default-scheduler is appended if missing, and an empty list forces the default. */
function completeScheduler(scheduler: Configuration['scheduler']): Configuration['scheduler'] {
  const { profiles } = scheduler;
  const own = { name: 'default-scheduler', config: undefined } as const;
  if (profiles.length === 0) return { profiles: [own], defaultProfileName: own.name };
  if (profiles.some((profile) => profile.name === own.name)) return scheduler;
  return { ...scheduler, profiles: [...profiles, own] };
}

function checkScheduler(scheduler: Configuration['scheduler']): readonly Problem[] {
  const names = scheduler.profiles.map((profile) => profile.name);
  const problems: Problem[] = [];
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    const message = `"${name}" is there twice, each profile must have another name`;
    problems.push({ path: `scheduler.profiles[${index}].name`, message });
  });
  if (!names.includes(scheduler.defaultProfileName)) {
    const right = `it must be one of ${[...new Set(names)].join(', ')}`;
    const message = `"${scheduler.defaultProfileName}" has no profile, ${right}`;
    problems.push({ path: 'scheduler.defaultProfileName', message });
  }
  return problems;
}

/** A burst without a rate would do nothing, and a rate with burst 0 would never let go. */
function checkLimits({ clientConnection: { qps, burst } }: Configuration): readonly Problem[] {
  if (qps > 0 && burst < 1) {
    const message = `is ${burst}, with a qps it must be 1 or more`;
    return [{ path: 'clientConnection.burst', message }];
  }
  if (qps === 0 && burst > 0) {
    const message = 'is 0 (no limit), with a burst it must be above 0';
    return [{ path: 'clientConnection.qps', message }];
  }
  return [];
}

/** Of two fields that mean nothing without each other: the one that is missing. */
function checkBoth(
  section: string,
  fields: Readonly<Record<string, string | undefined>>,
): readonly Problem[] {
  const names = Object.keys(fields);
  const missing = names.filter((name) => fields[name] === undefined);
  if (missing.length !== 1) return [];
  const [path] = missing;
  const other = names.find((name) => name !== path);
  return [{ path: `${section}.${path}`, message: `is missing, it must be given with ${other}` }];
}

const ways = ['credentialsFile', 'nkeySeedFile', 'tokenFile', 'passwordFile'] as const;

/** One way to say who we are to NATS, and a prefix that is a subject. */
function checkAccess({ bus }: Configuration): readonly Problem[] {
  const problems: Problem[] = [];
  const [first, ...rest] = ways.filter((way) => bus[way] !== undefined);
  for (const way of rest) {
    problems.push({ path: `bus.${way}`, message: `must not be given with ${first}` });
  }
  problems.push(...checkBoth('bus', { user: bus.user, passwordFile: bus.passwordFile }));
  if (!/^[\w-]+(\.[\w-]+)*$/.test(bus.inboxPrefix)) {
    const message = `"${bus.inboxPrefix}" is wrong, it must be letters, digits, - and _ between dots`;
    problems.push({ path: 'bus.inboxPrefix', message });
  }
  return problems;
}

/** Two servers cannot have one port, and the authorizer is one of the webhooks. */
function checkAdmission({ admission, authorizer, server }: Configuration): readonly Problem[] {
  if (!admission.enabled) {
    const message = 'is true, with it admission.enabled must be true too';
    return authorizer.enabled ? [{ path: 'authorizer.enabled', message }] : [];
  }
  return checkPort('admission.port', admission.port, {
    'server.healthPort': server.healthPort,
    'server.metricsPort': server.metricsPort,
  });
}

/** Times with which no lease would ever be surely held. */
function checkLeases({ leases, shards }: Configuration): readonly Problem[] {
  const error = termsError(termsOf(leases, shards));
  return error === undefined ? [] : [{ path: `leases.${error.field}`, message: error.why }];
}
