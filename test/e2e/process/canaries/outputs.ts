// Everything that leaves a controller, as texts: its log and arguments, what it says on the bus and
// answers over NATS and HTTPS, every view of the inspector, metrics, Events and statuses, and the
// archive that `kubectl coppice support-bundle` makes of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { NatsConnection } from '@nats-io/transport-node';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { askOver } from '#test/questions/served.ts';
import type { Program } from '#test/support/program.ts';
import { shell } from '#test/support/tools.ts';
import { get } from '#test/support/workload.ts';

export interface Output {
  readonly name: string;
  readonly text: string;
}

export interface Addresses {
  /** Of the questions over HTTPS, with the authority to trust. */
  readonly origin: string;
  readonly ca: string;
  readonly inspector: string;
  readonly metrics: string;
  /** Of a user who may everything. */
  readonly token: string;
}

export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const questions = ['state', 'why', 'history', 'trace'] as const;

/** What actors answer, over both roads. */
export async function answers(
  nats: NatsConnection,
  addresses: Addresses,
  subjects: readonly Subject[],
): Promise<readonly Output[]> {
  const outputs: Output[] = [];
  for (const { kind, namespace, name } of subjects) {
    for (const question of questions) {
      const subject = `coppice.ask.${kind}.${namespace}.${name}.${question}`;
      const told = (await nats.request(subject, '', { timeout: 10_000 })).string();
      outputs.push({ name: subject, text: told });
      const path = `/${question}?kind=${kind}&namespace=${namespace}&name=${name}`;
      const { body } = await askOver({ ...addresses, path });
      outputs.push({ name: path, text: JSON.stringify(body) });
    }
  }
  return outputs;
}

/** Every view, those of each actor too, and what a stream tells to whoever opens it. */
export async function views(
  { inspector, token }: Addresses,
  subjects: readonly Subject[],
): Promise<readonly Output[]> {
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (path: string): Promise<Output> => {
    const response = await fetch(`${inspector}/api/v1/${path}`, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return { name: `inspector ${path}`, text: await response.text() };
  };
  const facts = await ask('facts?limit=2000');
  const parsed: unknown = JSON.parse(facts.text);
  const traces = new Set(list(at(parsed, 'facts')).map((fact) => text(at(fact, 'trace'))));
  const paths = [
    ...['session', 'overview', 'actors', 'changes?after=0', 'charts'],
    ...[...traces].map((id) => `traces/${id}`),
    ...subjects.flatMap(({ kind, namespace, name }) =>
      ['', '/why', '/history'].map((rest) => `actors/${kind}/${namespace}/${name}${rest}`),
    ),
  ];
  return [facts, ...(await Promise.all(paths.map(ask))), await streamed(inspector, headers)];
}

/** The first events of a stream of all facts. */
async function streamed(inspector: string, headers: Record<string, string>): Promise<Output> {
  const url = `${inspector}/api/v1/stream?facts=all&after=0`;
  const abort = new AbortController();
  const { body } = await fetch(url, { headers, signal: abort.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  while (!told.includes('event: facts')) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: '' };
    if (done) break;
    told += value ?? '';
  }
  abort.abort();
  return { name: 'inspector stream', text: told };
}

/** Its command line and environment, and what it says to whoever runs it. */
export const ofProcess = ({ pid, stdout, stderr }: Program): readonly Output[] => [
  { name: 'log', text: [...stdout, ...stderr].join('\n') },
  { name: 'arguments', text: readFileSync(`/proc/${pid}/cmdline`, 'utf8') },
  { name: 'environment', text: readFileSync(`/proc/${pid}/environ`, 'utf8') },
];

export const metrics = async (url: string): Promise<Output> => ({
  name: 'metrics',
  text: await (await fetch(url)).text(),
});

/** What it writes where others read: Events, and statuses without the specs, which are the
 *  users'. */
export async function written(client: KubeTransport, namespace: string): Promise<Output[]> {
  const events = await get(client, `/api/v1/namespaces/${namespace}/events`);
  const groups = {
    podcliquesets: 'grove.io/v1alpha1',
    podcliques: 'grove.io/v1alpha1',
    podgangs: 'scheduler.grove.io/v1alpha1',
  };
  const statuses = await Promise.all(
    Object.entries(groups).map(async ([plural, group]) => {
      const found = await get(client, `/apis/${group}/namespaces/${namespace}/${plural}`);
      const all = list(at(found, 'items')).map((item) => at(item, 'status'));
      return { name: `status of ${plural}`, text: JSON.stringify(all) };
    }),
  );
  const told = list(at(events, 'items')).map((event) => [
    at(event, 'reason'),
    at(event, 'message'),
  ]);
  return [{ name: 'Events', text: JSON.stringify(told) }, ...statuses];
}

const plugin = fileURLToPath(new URL('../../../../src/kubectl-coppice.ts', import.meta.url));

/** Of all namespaces, by a kubeconfig that knows the controller. */
export async function supportBundle(kubeconfig: string, folder: string): Promise<Output> {
  const file = join(folder, 'bundle.tar.gz');
  const line = `'${process.execPath}' '${plugin}' support-bundle --all-namespaces --file '${file}'`;
  const environment = { KUBECONFIG: kubeconfig, HOME: folder, NODE_NO_WARNINGS: '1' };
  const { code, stderr } = await shell(line, environment);
  if (code !== 0) throw new Error(`${line}\n${stderr}`);
  return { name: 'support bundle', text: gunzipSync(readFileSync(file)).toString('utf8') };
}
