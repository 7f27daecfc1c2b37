// Where the controller answers: where the user says, where the kubeconfig of `npm start` says, or
// in its pods, through a port-forward. Called by controller.ts; what it cannot find it says with
// what to do.
import { readFile } from 'node:fs/promises';
import { at, list, numberOf, object, text, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { extensionOf } from '#src/kube/connect/kubeconfig.ts';
import { isSuccess } from '#src/kube/errors.ts';
import { PluginError } from '../errors.ts';
import type { Session } from '../session.ts';
import { extensionName } from './extension.ts';
import type { Account } from './identity.ts';
import { maxPods } from './limits.ts';
import type { Place } from './line.ts';
import { openTunnel } from './tunnel.ts';

export interface ControllerFlags {
  readonly server?: string | undefined;
  readonly 'certificate-authority'?: string | undefined;
  readonly token?: string | undefined;
  readonly 'controller-namespace'?: string | undefined;
}

/** A process of the controller and the ServiceAccount that it runs as. */
export interface Found extends Place {
  readonly account: Account;
}

/** The container port in the chart. The inspector is served there too. */
const portName = 'questions';

/** At least one. Rejects with `noController`. */
export async function findControllers(
  session: Session,
  flags: ControllerFlags,
): Promise<readonly Found[]> {
  if (flags.server !== undefined) return [await named(flags.server, flags)];
  const local = await besideUser(session);
  if (local !== undefined) return [local];
  const pods = await controllerPods(session, flags['controller-namespace']);
  const places = pods.flatMap((pod) => placeIn(session, pod));
  if (places.length > 0) return places;
  throw new PluginError('noController', whyNone(pods));
}

async function named(server: string, flags: ControllerFlags): Promise<Found> {
  const url = URL.parse(server);
  if (url?.protocol !== 'https:') {
    const right = 'like https://coppice.example.com:2754 would be right';
    throw new PluginError('usage', `--server: "${server}" is no HTTPS URL; one ${right}`);
  }
  const file = flags['certificate-authority'];
  const ca = file === undefined ? undefined : await readFile(file, 'utf8').catch(unreadable(file));
  const account = { namespace: flags['controller-namespace'] ?? 'coppice-system', name: 'coppice' };
  return { name: url.origin, origin: url.origin, account, ...(ca === undefined ? {} : { ca }) };
}

const unreadable =
  (file: string) =>
  (cause: unknown): never => {
    const problem = `--certificate-authority: ${file} cannot be read: ${String(cause)}`;
    throw new PluginError('configuration', problem, { cause });
  };

/** `npm start` runs the controller in no pod, and leaves word of where it is. */
async function besideUser({ source }: Session): Promise<Found | undefined> {
  const extension = object(await extensionOf(source, extensionName));
  const origin = textOf(extension['server']);
  const ca = textOf(extension['certificate-authority-data']);
  if (origin === undefined) return undefined;
  return {
    name: origin,
    origin,
    account: { namespace: text(extension['namespace']), name: 'default' },
    ...(ca === undefined ? {} : { ca: Buffer.from(ca, 'base64').toString('utf8') }),
  };
}

const selector = `labelSelector=${encodeURIComponent('app.kubernetes.io/name=coppice')}`;

/** In the namespace that was named, else in all, else in that of the documentation. */
export async function controllerPods(
  { transport }: Session,
  namespace: string | undefined,
): Promise<readonly JsonObject[]> {
  const podsIn = (name: string) => `/api/v1/namespaces/${encodeURIComponent(name)}/pods`;
  const paths =
    namespace === undefined ? ['/api/v1/pods', podsIn('coppice-system')] : [podsIn(namespace)];
  for (const path of paths) {
    const query = `${selector}&limit=${maxPods}`;
    const response = await transport.request({ method: 'GET', path: `${path}?${query}` });
    if (isSuccess(response)) return list(at(response.body, 'items')).map(object);
  }
  const where = namespace ?? 'coppice-system';
  throw new PluginError(
    'noController',
    `the controller cannot be looked for, as you may not list pods in namespace ${where}: ` +
      'name its namespace with --controller-namespace, or where it answers with --server',
  );
}

export const isReady = (pod: JsonObject): boolean =>
  list(at(pod, 'status', 'conditions')).some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  );

/** The port of that name in a pod that is ready. */
export function portOf(pod: JsonObject, wanted: string): number | undefined {
  const containers = list(at(pod, 'spec', 'containers'));
  const ports = containers.flatMap((container) => list(at(container, 'ports')));
  return numberOf(
    at(
      ports.find((port) => at(port, 'name') === wanted),
      'containerPort',
    ),
  );
}

function placeIn({ connection }: Session, pod: JsonObject): readonly Found[] {
  const port = portOf(pod, portName);
  if (port === undefined || !isReady(pod)) return [];
  const name = text(at(pod, 'metadata', 'name'));
  const namespace = text(at(pod, 'metadata', 'namespace'));
  return [
    {
      name: `pod ${namespace}/${name}`,
      // A name that its certificate and its check of hosts know.
      origin: `https://localhost:${port}`,
      account: { namespace, name: textOf(at(pod, 'spec', 'serviceAccountName')) ?? 'default' },
      open: () => openTunnel(connection, { namespace, pod: name, port }),
    },
  ];
}

function whyNone(pods: readonly JsonObject[]): string {
  const [pod] = pods;
  const elsewhere = 'where it runs outside of the cluster, name its address with --server';
  if (pod === undefined) {
    return `there is no pod of the controller (app.kubernetes.io/name=coppice): install it, or, ${elsewhere}`;
  }
  const name = `${text(at(pod, 'metadata', 'namespace'))}/${text(at(pod, 'metadata', 'name'))}`;
  if (pods.some(isReady)) {
    return `pod ${name} has no port "${portName}": set config.questions.enabled in the values of the chart`;
  }
  const many = pods.length === 1 ? '' : `, and none of the ${pods.length - 1} others`;
  return `pod ${name} is not ready${many}: look with kubectl describe pod, or: kubectl coppice check`;
}
