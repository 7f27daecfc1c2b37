// A release of the chart that Helm really installs, in a namespace that demands restricted pods,
// and a controller that runs under exactly the account that it made. Nothing runs the pods: nodes
// are KWOK's.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { at, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { registrationPaths } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { sandboxConversion } from '#src/modules/agentsandbox/conversion/webhook.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { chartFolder } from '#test/charts/grants.ts';
import { objectsIn } from '#test/charts/manifests.ts';
import { kubeconfigOf, maxManifests } from '#test/cluster/chart.ts';
import { binary } from '#test/cluster/up.ts';
import type { Program } from '#test/support/program.ts';
import type { AuditedRequest } from './audit.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const mergePatch = 'application/merge-patch+json';

/** Grove's look for what an earlier configuration left behind, which is granted with the switch of
 *  ComputeDomains alone (src/modules/grove/preflight.ts). */
export const isLookForLeftovers = ({ verb, resource }: AuditedRequest): boolean =>
  verb === 'list' && resource === 'computedomains';

/** Takes away what controllers have told the API server of their webhooks. */
export async function unregister(transport: KubeTransport): Promise<void> {
  for (const path of enabledWebhooks(true).flatMap(registrationPaths)) {
    await transport.request({ method: 'DELETE', path });
  }
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  for (const path of registrationPaths(sandboxConversion)) {
    await transport.request({ method: 'PATCH', path, contentType: mergePatch, body });
  }
}

export class Release {
  readonly name: string;
  readonly namespace: string;
  readonly #stage: Stage;
  readonly #helm: string;
  readonly #folder: string;

  /** In a namespace that is there and has the name of the release. */
  constructor(stage: Stage, name: string, helm: 'helm' | 'helm4' = 'helm') {
    this.#stage = stage;
    this.#helm = binary(helm);
    this.name = name;
    this.namespace = name;
    this.#folder = join(stage.folder, name);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** From now on the namespace takes restricted pods alone. */
  async restrict(): Promise<void> {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const path = `/api/v1/namespaces/${this.namespace}`;
    const body = { metadata: { labels } };
    await this.#stage.kube.send({ method: 'PATCH', path, contentType: mergePatch, body });
  }

  /** The API server takes all that Helm renders, and knows each of its fields. Throws otherwise. */
  async strictly(values: JsonObject): Promise<void> {
    const file = join(this.#folder, 'rendered.yaml');
    writeFileSync(file, await this.render(values));
    await this.#kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', file]);
  }

  install(values: JsonObject): Promise<string> {
    return this.#chart(['install', this.name, chartFolder], values);
  }

  /** Without hooks: nothing would run their pods. */
  upgrade(values: JsonObject): Promise<string> {
    return this.#chart(['upgrade', '--no-hooks', this.name, chartFolder], values);
  }

  /** What Helm renders, hooks too. */
  render(values: JsonObject, words: readonly string[] = []): Promise<string> {
    return this.#chart(['template', this.name, chartFolder, ...words], values);
  }

  /** Applies one template of the chart, but for objects that would need more than the cluster. */
  async part(template: string, values: JsonObject): Promise<void> {
    const file = join(this.#folder, `${template}.json`);
    const all = objectsIn(await this.render(values, ['--show-only', `templates/${template}`]));
    const items = all.filter(({ kind }) => kind !== 'Job' && kind !== 'PodMonitor');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await this.#kubectl(['apply', '-f', file]);
  }

  /** Lets an account of its namespace scrape. */
  async bindMetrics(account: string): Promise<void> {
    const name = `${this.name}-metrics`;
    const words = ['create', 'clusterrolebinding', name, `--clusterrole=${name}`];
    await this.#kubectl([...words, `--serviceaccount=${this.namespace}:${account}`]);
  }

  uninstall(): Promise<string> {
    return this.#run(['uninstall', this.name]);
  }

  async manifests(): Promise<readonly JsonObject[]> {
    return objectsIn(await this.#run(['get', 'manifest', this.name]));
  }

  /** Of each object of the release the version of what it says, by kind and name. */
  async versions(): Promise<Readonly<Record<string, string>>> {
    const file = join(this.#folder, 'manifest.yaml');
    writeFileSync(file, await this.#run(['get', 'manifest', this.name]));
    const listed = await this.#kubectl(['get', '-f', file, '-o', 'json']);
    const { items } = JSON.parse(listed) as { readonly items: readonly JsonObject[] };
    return Object.fromEntries(
      items.map(({ kind, metadata, spec, data, rules }) => [
        `${text(kind)} ${text(at(metadata, 'name'))}`,
        // A status of a Deployment moves, and what it says does not.
        JSON.stringify([at(metadata, 'generation') ?? null, spec ?? null, data ?? rules ?? null]),
      ]),
    );
  }

  /** Of an account of its namespace. */
  async token(account: string): Promise<string> {
    const path = `/api/v1/namespaces/${this.namespace}/serviceaccounts/${account}/token`;
    const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
    const body = { ...kind, spec: {} };
    return text(at(await this.#stage.kube.send({ method: 'POST', path, body }), 'status', 'token'));
  }

  /** A kubeconfig file of an account of the release. */
  async kubeconfig(account = this.name): Promise<string> {
    const file = join(this.#folder, `${account}.kubeconfig`);
    const { kubeconfig } = this.#stage.given;
    const own = kubeconfigOf(kubeconfig, await this.token(account), this.namespace);
    writeFileSync(file, JSON.stringify(own), { mode: 0o600 });
    return file;
  }

  /** Runs the controller of the release here, as its pod would, with its configuration: only where
   *  it listens, and which NATS it finds, are this machine's. Resolves when it is synced and has
   *  registered its webhooks. */
  async controller(): Promise<Program> {
    const { program, given } = await this.#start('controller', this.name);
    await program.line(/controller synced/);
    const { grove, agentsandbox } = object(given['modules']);
    const isAdmitting = at(given, 'admission', 'enabled') === true && (grove || agentsandbox);
    if (isAdmitting) await program.line(/serves the admission webhooks/);
    return program;
  }

  /** The same of webhooks that are apart. */
  async webhook(): Promise<Program> {
    const { program } = await this.#start('webhook', `${this.name}-webhook`);
    await program.line(/serves the admission webhooks/);
    return program;
  }

  /** `name`: of the account and of the ConfigMap. */
  async #start(command: string, name: string) {
    const words = ['get', `configmap/${name}`, '-n', this.namespace];
    const written = await this.#kubectl([...words, '-o', 'jsonpath={.data.config\\.yaml}']);
    const given = object(parse(written));
    const config = join(this.#folder, `${command}.json`);
    writeFileSync(config, JSON.stringify(await this.#here(given)));
    const flags = ['--config', config, '--kubeconfig', await this.kubeconfig(name)];
    return { program: this.#stage.coppice(command, ...flags), given };
  }

  async #here(given: JsonObject): Promise<JsonObject> {
    const local = { bindAddress: '127.0.0.1', port: 0 };
    const admission = object(given['admission']);
    const isManual = at(admission, 'certificates', 'mode') === 'manual';
    const directory = isManual ? { directory: await this.#certificate() } : {};
    const certificates = { ...object(admission['certificates'] ?? {}), ...directory };
    const isServed = at(given, 'bus', 'enabled') === true;
    return {
      ...given,
      bus: { enabled: isServed, servers: [this.#stage.given.natsUrl] },
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      questions: { ...object(given['questions'] ?? {}), ...local },
      inspector: { ...object(given['inspector'] ?? {}), port: 0 },
      admission: { ...admission, ...local, registration: 'url', certificates },
    };
  }

  /** As cert-manager writes one. */
  async #certificate(): Promise<string> {
    const authority = await createAuthority('cert-manager', systemClock.now());
    const { cert, key } = await authority.server(['localhost'], ['127.0.0.1']);
    const files = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert };
    for (const [name, pem] of Object.entries(files)) writeFileSync(join(this.#folder, name), pem);
    return this.#folder;
  }

  async #chart(words: readonly string[], values: JsonObject): Promise<string> {
    const file = join(this.#folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return this.#run([...words, '--values', file]);
  }

  async #run(words: readonly string[]): Promise<string> {
    const { kubeconfig } = this.#stage.given;
    const where = ['--kubeconfig', kubeconfig, '--namespace', this.namespace];
    const { stdout } = await run(this.#helm, [...words, ...where], { maxBuffer: maxManifests });
    return stdout;
  }

  async #kubectl(words: readonly string[]): Promise<string> {
    const { kubeconfig } = this.#stage.given;
    const options = { maxBuffer: maxManifests };
    return (await run(binary('kubectl'), ['--kubeconfig', kubeconfig, ...words], options)).stdout;
  }
}
