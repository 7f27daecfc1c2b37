// Programs of init containers that plug-ins know: the kubelet runs no images, so it runs these
// itself, with the token that the container would find, and holds the containers of the pod back
// until that can be mounted. Used by the kubelet (index.ts).
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { InitProgram } from '../../plugins/contract.ts';
import { keyOf, namespaceOf, orRetryLater, uidOf } from '../client.ts';
import type { ControllerContext } from '../options.ts';

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const secretsPath = '/api/v1/secrets';

/** A program, and the container of a pod that is to run it. */
interface Task {
  readonly program: InitProgram;
  readonly container: JsonObject;
}

/** Where a pod's program stands. */
interface Run {
  readonly uid: string;
  stop: () => void;
  /** When it ended well. */
  endedAt: number | undefined;
}

export class InitPrograms {
  readonly #context: ControllerContext;
  readonly #programs: readonly InitProgram[];
  readonly #wake: (key: string) => void;
  /** By key of the pod. */
  readonly #runs = new Map<string, Run>();
  /** Keys of Secrets to the keys of pods that cannot start without them. */
  readonly #unmounted = new Map<string, Set<string>>();
  readonly #unlisten: () => void;

  constructor(
    context: ControllerContext,
    programs: readonly InitProgram[],
    wake: (key: string) => void,
  ) {
    this.#context = context;
    this.#programs = programs;
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

  /** The first that an init container of the pod is. */
  of(pod: Stored): Task | undefined {
    for (const program of this.#programs) {
      const container = program.containerOf(pod);
      if (container !== undefined) return { program, container };
    }
    return undefined;
  }

  gone(pod: Stored): void {
    const key = keyOf(pod);
    this.#runs.get(key)?.stop();
    this.#runs.delete(key);
  }

  /** Why the token cannot be mounted, so that no container starts; the pod is woken when it can. */
  unmountable(pod: Stored): string | undefined {
    const task = this.of(pod);
    const mounted = task === undefined ? undefined : mountedToken(pod, task.container);
    if (mounted === undefined || this.#runs.has(keyOf(pod))) return undefined;
    const { volume, secret } = mounted;
    const key = `${namespaceOf(pod)}/${secret}`;
    if (tokenIn(this.#context.informers.at(secretsPath).get(key)) !== undefined) return undefined;
    const pods = this.#unmounted.get(key) ?? new Set<string>();
    this.#unmounted.set(key, pods.add(keyOf(pod)));
    return `MountVolume.SetUp failed for volume "${volume}" : secret "${secret}" not found or without a token`;
  }

  /** When the container is done, or undefined while it waits. The first call starts it. */
  endOf(pod: Stored, task: Task): number | undefined {
    const key = keyOf(pod);
    const known = this.#runs.get(key);
    if (known?.uid === uidOf(pod)) return known.endedAt;
    known?.stop();
    const endedAt = endOfRun(pod, task.container);
    const run: Run = { uid: uidOf(pod), stop: () => {}, endedAt };
    this.#runs.set(key, run);
    if (endedAt === undefined) void this.#start(pod, task, run);
    return run.endedAt;
  }

  #secretSeen(secret: Stored): void {
    const key = keyOf(secret);
    if (tokenIn(secret) === undefined) return;
    for (const pod of this.#unmounted.get(key) ?? []) this.#wake(pod);
    this.#unmounted.delete(key);
  }

  async #start(pod: Stored, { program, container }: Task, run: Run): Promise<void> {
    const { clock, random, connect, log } = this.#context;
    const key = keyOf(pod);
    let isOver = false;
    run.stop = () => (isOver = true);
    try {
      const token = await this.#tokenOf(pod, container);
      if (isOver) return;
      run.stop = program.start({
        pod,
        container,
        transport: connect(token),
        clock,
        random,
        log,
        ended: () => {
          run.endedAt = clock.now();
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
    const name = mountedToken(pod, container)?.secret;
    if (name !== undefined) {
      const token = tokenIn(informers.at(secretsPath).get(`${namespace}/${name}`));
      if (token === undefined) throw new Error(`secret ${name} holds no token`);
      return token;
    }
    const account = textAt(objectAt(pod, 'spec'), 'serviceAccountName') || 'default';
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const answer = orRetryLater('token request', await client.create(path, body));
    const token = textAt(objectAt(answer.body, 'status'), 'token');
    if (token === '') throw new Error(textAt(answer.body, 'message'));
    return token;
  }
}

const restartMs = 1_000;

/** When the container ended well, as the pod's status has it from before a restart of ours. */
function endOfRun(pod: Stored, container: JsonObject): number | undefined {
  const statuses = objectsAt(objectAt(pod, 'status'), 'initContainerStatuses');
  const status = statuses.find((each) => textAt(each, 'name') === textAt(container, 'name'));
  const ended = objectAt(objectAt(status, 'state'), 'terminated');
  if (ended?.['exitCode'] !== 0) return undefined;
  const at = Date.parse(textAt(ended, 'finishedAt'));
  return Number.isNaN(at) ? undefined : at;
}

/** Where the container finds its token; undefined: none is mounted for it. */
function mountedToken(
  pod: Stored,
  container: JsonObject,
): { readonly volume: string; readonly secret: string } | undefined {
  const mount = objectsAt(container, 'volumeMounts').find(
    (each) => textAt(each, 'mountPath') === tokenFolder,
  );
  const found = objectsAt(objectAt(pod, 'spec'), 'volumes').find(
    (each) => mount !== undefined && textAt(each, 'name') === textAt(mount, 'name'),
  );
  const secret = textAt(objectAt(found, 'secret'), 'secretName');
  return secret === '' ? undefined : { volume: textAt(found, 'name'), secret };
}

function tokenIn(secret: Stored | undefined): string | undefined {
  const encoded = textAt(objectAt(secret, 'data'), 'token');
  return encoded === '' ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
