// `kubectl coppice support-bundle`: an archive for a bug report. All that is written goes through
// the one function that masks secrets (machines/kubernetes/mask.ts), and what could not be had is
// listed.
import { writeFileSync } from 'node:fs';
import { actorId } from '#machines/contract/address.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { checkInstallation, reportLines } from '#src/check/run.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import { archive, type ArchivedFile } from './archive.ts';
import { installationOf } from './check.ts';
import { PluginError } from './errors.ts';
import { formatted, timeoutIn } from './format.ts';
import { keysOf } from './get.ts';
import { itemsWanted, type Item, listPath } from './objects.ts';
import type { FlagsOf } from './parse.ts';
import { type Controller, withController } from './reach/controller.ts';
import { asksAtOnce } from './reach/limits.ts';
import type { Session } from './session.ts';
import { Progress } from './show/progress.ts';

/** Of the log of one container. */
const logLines = 5_000;
/** Actors that are asked; of more, the first in the list. */
const mostActors = 500;
/** Facts of each of them. */
const factsOfOne = 50;
/** For each answer of the controller. */
const answerMs = 15_000;

/** What is collected, and what could not be. */
class Bundle {
  readonly files: ArchivedFile[] = [];
  readonly missing: string[] = [];

  json(name: string, value: unknown): void {
    const plain: Json = JSON.parse(JSON.stringify(value ?? null));
    this.files.push({ name, content: `${formatted(masked(plain), 'json')}\n` });
  }

  /** Line by line, as long texts are cut. */
  text(name: string, content: string): void {
    const lines = content.split('\n').map(redactText);
    this.files.push({ name, content: lines.join('\n') });
  }

  /** What fails leaves a line, and the rest goes on. */
  async try(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.missing.push(redactText(`${what}: ${message}`));
    }
  }
}

export async function writeBundle(
  session: Session,
  flags: FlagsOf<'support-bundle'>,
): Promise<void> {
  const { clock, output } = session;
  const begun = clock.now();
  const limit = AbortSignal.timeout(timeoutIn(flags.timeout));
  const bundle = new Bundle();
  const namespace = flags['all-namespaces'] ? undefined : session.namespace;
  const isOver = (): boolean => limit.aborted || session.signal.aborted;
  const collect = async (what: string, act: () => Promise<void>): Promise<void> => {
    if (isOver()) return void bundle.missing.push(`${what}: the time was over`);
    output.progress(`collects ${what}`);
    await bundle.try(what, act);
  };
  let items: readonly Item[] = [];
  await collect('versions', () => versions(session, bundle));
  await collect('installation', () => installation(session, flags, bundle));
  await collect('objects', async () => {
    items = await itemsWanted(session.transport, {}, namespace);
    for (const { object } of items) bundle.json(fileOf('objects', object), object);
  });
  await collect('pods and events', () => around(session, namespace, bundle));
  await collect('answers of the controller', () =>
    answers(session, flags, { bundle, items, isOver }),
  );
  output.progress(undefined);
  const created = rfc3339(begun);
  bundle.text('missing.txt', bundle.missing.map((line) => `${line}\n`).join(''));
  const file = flags.file ?? `coppice-support-${created.replaceAll(/[:Z]/g, '')}.tar.gz`;
  try {
    writeFileSync(file, archive(bundle.files, Math.floor(begun / 1000)), { mode: 0o600 });
  } catch (cause) {
    const problem = `--file: ${file} cannot be written: ${String(cause)}`;
    throw new PluginError('configuration', problem, { cause });
  }
  for (const line of bundle.missing) output.note(`left out: ${line}`);
  output.line(file);
}

const fileOf = (folder: string, object: Item['object']): string => {
  const { name, namespace = '-' } = object.metadata;
  return `${folder}/${object.kind.toLowerCase()}/${namespace}/${name}.json`;
};

async function versions({ transport, version, clock }: Session, bundle: Bundle): Promise<void> {
  const { body } = await transport.request({ method: 'GET', path: '/version' });
  const [node, platform] = [process.version, `${process.platform}/${process.arch}`];
  const created = rfc3339(clock.now());
  bundle.json('versions.json', { created, plugin: version, node, platform, server: body });
}

/** Configuration, findings, pods and logs of the controller. */
async function installation(
  session: Session,
  flags: FlagsOf<'support-bundle'>,
  bundle: Bundle,
): Promise<void> {
  const found = await installationOf(session, { ...flags, config: undefined });
  const report = await checkInstallation(found);
  bundle.text('check.txt', `${reportLines(report, (level) => level.padEnd(7)).join('\n')}\n`);
  const { origin, configuration, problems } = found.configured;
  bundle.json('configuration.json', { origin, configuration, problems });
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${found.namespace}/leases`;
  await bundle.try('leases', async () => {
    bundle.json('controller/leases.json', await listPath(session.transport, leases, 'list leases'));
  });
  for (const pod of found.pods ?? []) await logsOf(session, pod, bundle);
}

async function logsOf({ transport }: Session, pod: JsonObject, bundle: Bundle): Promise<void> {
  const [namespace, name] = ['namespace', 'name'].map((field) => text(at(pod, 'metadata', field)));
  bundle.json(`controller/pods/${name}.json`, pod);
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=${logLines}`;
  for (const [suffix, query] of [
    ['', ''],
    ['.previous', '&previous=true'],
  ] as const) {
    await bundle.try(`log of ${namespace}/${name}${suffix}`, async () => {
      const response = await transport.request({ method: 'GET', path: `${path}${query}` });
      // Without an end before this one there is no log of it.
      if (suffix !== '' && response.status === 400) return;
      if (!isSuccess(response)) throw new Error(failureOf(response).message);
      const { body } = response;
      const log = typeof body === 'string' ? body : JSON.stringify(body);
      bundle.text(`controller/logs/${name}${suffix}.log`, log);
    });
  }
}

/** What is not of Coppice, and often the reason. */
async function around(
  { transport }: Session,
  namespace: string | undefined,
  bundle: Bundle,
): Promise<void> {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  for (const what of ['pods', 'events', 'resourcequotas', 'persistentvolumeclaims']) {
    await bundle.try(what, async () => {
      const objects = await listPath(transport, `/api/v1${scope}/${what}`, `list ${what}`);
      bundle.json(`cluster/${what}.json`, objects ?? []);
    });
  }
}

interface Asked {
  readonly bundle: Bundle;
  readonly items: readonly Item[];
  readonly isOver: () => boolean;
}

/** State, reasons and history of each actor. */
async function answers(
  session: Session,
  flags: FlagsOf<'support-bundle'>,
  { bundle, items, isOver }: Asked,
): Promise<void> {
  await withController(session, flags, answerMs, async (controller) => {
    const keys = items.flatMap(keysOf).slice(0, mostActors);
    const progress = new Progress('actors asked', session.clock.now());
    for (let from = 0; from < keys.length && !isOver(); from += asksAtOnce) {
      const some = keys.slice(from, from + asksAtOnce);
      await Promise.all(some.map((key) => ofOne(controller, key, bundle)));
      const now = session.clock.now();
      session.output.progress(progress.at(from + some.length, keys.length, now));
    }
    const overview = await controller.get('/api/v1/overview').catch(() => undefined);
    if (overview !== undefined) bundle.json('controller/overview.json', overview);
  });
}

async function ofOne(
  controller: Controller,
  key: ReturnType<typeof keysOf>[number],
  bundle: Bundle,
): Promise<void> {
  const { kind, namespace, name } = key;
  for (const question of ['state', 'why', 'history'] as const) {
    await bundle.try(`${question} of ${actorId(key)}`, async () => {
      const payload = question === 'history' ? { limit: factsOfOne } : {};
      const answer = await controller.ask(key, question, payload);
      bundle.json(`${question}/${kind}/${namespace || '-'}/${name}.json`, answer);
    });
  }
}
