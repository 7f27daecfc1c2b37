// The simulated node agent runs no images, so it runs Grove's init container itself: for a pod with
// `grove-initc --podcliques=<PodClique>:<count>` it follows the pods of the gang by the code of
// `coppice init`, with the token that the container would find, until its parents are ready.
import { label, startContainerName } from '#machines/grove/objects/labels.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { followParents } from '#src/init/follow.ts';
import { parseParents } from '#src/init/order.ts';
import type { Parents } from '#src/init/order.ts';
import { keyOf, namespaceOf, settled, uidOf } from '../client.ts';
import type { ControllerContext } from '../options.ts';

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const secretsPath = '/api/v1/secrets';

/** The init container of a pod that waits for others, if there is one. */
export const startupWait = (pod: Stored): JsonObject | undefined =>
  objectsAt(objectAt(pod, 'spec'), 'initContainers').find(
    (each) => textAt(each, 'name') === startContainerName && parentsOf(each).size > 0,
  );

/** PodClique to the number of its pods that must be ready. */
function parentsOf(container: JsonObject): Parents {
  const flag = '--podcliques=';
  const values = [...listAt(container, 'command'), ...listAt(container, 'args')]
    .filter((each) => typeof each === 'string')
    .filter((each) => each.startsWith(flag))
    .map((each) => each.slice(flag.length));
  const parsed = parseParents(values);
  return parsed.ok ? parsed.parents : new Map();
}

/** Where a pod's program stands. */
interface Run {
  readonly uid: string;
  stop: () => void;
  /** When its parents were all ready. */
  metAt: number | undefined;
}

export class StartupOrder {
  readonly #context: ControllerContext;
  readonly #wake: (key: string) => void;
  /** By key of the pod. */
  readonly #runs = new Map<string, Run>();
  /** Keys of Secrets to the keys of pods that cannot start without them. */
  readonly #unmounted = new Map<string, Set<string>>();
  readonly #unlisten: () => void;

  constructor(context: ControllerContext, wake: (key: string) => void) {
    this.#context = context;
    this.#wake = wake;
    this.#unlisten = context.informers.at(secretsPath).listen({
      seen: (secret) => this.#secretSeen(secret),
    });
  }

  stop(): void {
    this.#unlisten();
    for (const run of this.#runs.values()) run.stop();
    this.#runs.clear();
  }

  gone(pod: Stored): void {
    const key = keyOf(pod);
    this.#runs.get(key)?.stop();
    this.#runs.delete(key);
  }

  /** Why the token cannot be mounted, so that no container starts; the pod is woken when it can. */
  unmountable(pod: Stored): string | undefined {
    const container = startupWait(pod);
    const name = container === undefined ? undefined : tokenSecret(pod, container);
    if (name === undefined || this.#runs.has(keyOf(pod))) return undefined;
    const key = `${namespaceOf(pod)}/${name}`;
    if (tokenIn(this.#context.informers.at(secretsPath).get(key)) !== undefined) return undefined;
    const pods = this.#unmounted.get(key) ?? new Set<string>();
    this.#unmounted.set(key, pods.add(keyOf(pod)));
    return `MountVolume.SetUp failed for volume "sa-token-secret-vol" : secret "${name}" not found or without a token`;
  }

  /** When the container is done, or undefined while it waits. The first call starts it. */
  endOf(pod: Stored, container: JsonObject): number | undefined {
    const key = keyOf(pod);
    const known = this.#runs.get(key);
    if (known?.uid === uidOf(pod)) return known.metAt;
    known?.stop();
    const run: Run = { uid: uidOf(pod), stop: () => {}, metAt: endedAt(pod) };
    this.#runs.set(key, run);
    if (run.metAt === undefined) void this.#start(pod, container, run);
    return run.metAt;
  }

  #secretSeen(secret: Stored): void {
    const key = keyOf(secret);
    if (tokenIn(secret) === undefined) return;
    for (const pod of this.#unmounted.get(key) ?? []) this.#wake(pod);
    this.#unmounted.delete(key);
  }

  async #start(pod: Stored, container: JsonObject, run: Run): Promise<void> {
    const { clock, random, connect, log } = this.#context;
    const key = keyOf(pod);
    let isOver = false;
    run.stop = () => (isOver = true);
    try {
      const token = await this.#tokenOf(pod, container);
      if (isOver) return;
      run.stop = followParents({
        transport: connect(token),
        clock,
        random,
        log: (level, message, fields) => log(level === 'error' ? 'warn' : level, message, fields),
        namespace: namespaceOf(pod),
        gang: textsAt(pod.metadata, 'labels')[label.podGang] ?? '',
        parents: parentsOf(container),
        met: () => {
          run.metAt = clock.now();
          this.#wake(key);
        },
      });
    } catch (error) {
      // As if the container had failed: it is started anew.
      if (this.#runs.get(key) === run) this.#runs.delete(key);
      log('warn', 'the init container could not start', { pod: key, error: String(error) });
      const cancel = clock.at(clock.now() + restartMs, () => this.#wake(key));
      if (isOver) cancel();
    }
  }

  /** From the Secret that is mounted, else a token of the pod's own account. Throws RetryLater. */
  async #tokenOf(pod: Stored, container: JsonObject): Promise<string> {
    const { informers, client } = this.#context;
    const namespace = namespaceOf(pod);
    const name = tokenSecret(pod, container);
    if (name !== undefined) {
      const token = tokenIn(informers.at(secretsPath).get(`${namespace}/${name}`));
      if (token === undefined) throw new Error(`secret ${name} holds no token`);
      return token;
    }
    const account = textAt(objectAt(pod, 'spec'), 'serviceAccountName') || 'default';
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const answer = settled('token request', await client.create(path, body));
    const token = textAt(objectAt(answer.body, 'status'), 'token');
    if (token === '') throw new Error(textAt(answer.body, 'message'));
    return token;
  }
}

const restartMs = 1_000;

/** When the container ended well, as the pod's status has it from before a restart of ours. */
function endedAt(pod: Stored): number | undefined {
  const statuses = objectsAt(objectAt(pod, 'status'), 'initContainerStatuses');
  const status = statuses.find((each) => textAt(each, 'name') === startContainerName);
  const ended = objectAt(objectAt(status, 'state'), 'terminated');
  if (ended?.['exitCode'] !== 0) return undefined;
  const at = Date.parse(textAt(ended, 'finishedAt'));
  return Number.isNaN(at) ? undefined : at;
}

/** The Secret that the container finds its token in; undefined: none is mounted for it. */
function tokenSecret(pod: Stored, container: JsonObject): string | undefined {
  const mount = objectsAt(container, 'volumeMounts').find(
    (each) => textAt(each, 'mountPath') === tokenFolder,
  );
  const volume = objectsAt(objectAt(pod, 'spec'), 'volumes').find(
    (each) => mount !== undefined && textAt(each, 'name') === textAt(mount, 'name'),
  );
  const name = textAt(objectAt(volume, 'secret'), 'secretName');
  return name === '' ? undefined : name;
}

function tokenIn(secret: Stored | undefined): string | undefined {
  const encoded = textAt(objectAt(secret, 'data'), 'token');
  return encoded === '' ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
