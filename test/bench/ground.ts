// What a benchmark stands on: the embedded cluster or the real control plane, as processes of their
// own on a fresh folder, and how each counts the requests of controllers. world.ts calls it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { at, isObject } from '#machines/kubernetes/json.ts';
import { installCrds } from '#src/dev/crds.ts';
import { transportOf } from '#test/cluster/client.ts';
import type { Limit, ProcessName } from '#test/cluster/commands.ts';
import { readState } from '#test/cluster/state.ts';
import { down, restart, up } from '#test/cluster/up.ts';
import { type AuditedRequest, AuditLog, tally } from '#test/e2e/real/audit.ts';
import { Programs } from '#test/support/program.ts';
import type { RequestCounts } from './requests.ts';

export interface GroundOptions {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  /** For the real cluster; absent: as Kubernetes ships them. */
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
  /** The real cluster writes an audit log, which costs it time. */
  readonly audit?: boolean;
}

export interface Ground {
  readonly kubeconfig: string;
  readonly controllerKubeconfig: string;
  /** With the logs of its processes, where it has one. */
  readonly folder?: string;
  /** Name, as used in the keys of a result, to pid. */
  processes(): ReadonlyMap<string, number>;
  /** Requests of controllers so far as the server counted them; absent where it does not. */
  readonly requests?: () => Promise<RequestCounts>;
  /** Those of all clients, one by one; absent where the server does not write them down. */
  readonly audited?: (() => readonly AuditedRequest[]) | undefined;
  stop(): Promise<void>;
}

export const startGround = (folder: string, options: GroundOptions): Promise<Ground> =>
  options.cluster === 'embedded' ? embedded(folder, options) : real(folder, options);

async function embedded(folder: string, { nodes }: GroundOptions): Promise<Ground> {
  const programs = new Programs();
  const flags = ['--nodes', String(nodes), '--data', folder, '--port', '0'];
  const cluster = programs.coppice('cluster', ...flags);
  const [, kubeconfig = ''] = await cluster.line(/^export KUBECONFIG=(.+)$/);
  return {
    kubeconfig,
    controllerKubeconfig: kubeconfig,
    processes: () => new Map([['cluster', cluster.pid]]),
    requests: async () => readCounts(at(await cluster.ask({ ask: 'requests' }), 'requests')),
    stop: () => programs.end(),
  };
}

const readCounts = (value: unknown): RequestCounts =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([key, count]) =>
      typeof count === 'number' ? [[key, count]] : [],
    ),
  );

const keys: Readonly<Record<ProcessName, string>> = {
  etcd: 'etcd',
  'kube-apiserver': 'apiserver',
  'kube-controller-manager': 'kcm',
  'kube-scheduler': 'scheduler',
  kwok: 'kwok',
};

/** The server answers a POST only after 2 s while its kind is younger than that, counted from whole
 *  seconds: the first of a measurement would be one of these. */
const crdAgeMs = 3000;

async function real(folder: string, options: GroundOptions): Promise<Ground> {
  const { nodes, schedulerLimit, managerLimit, audit = false } = options;
  const place = join(folder, 'cluster');
  const { kubeconfig, controllerKubeconfig } = await up({
    folder: place,
    port: 0,
    nodes,
    schedulerLimit,
    managerLimit,
    audit,
  });
  const auditLog = join(place, 'audit.log');
  const log = new AuditLog(auditLog);
  const client = await transportOf(kubeconfig);
  try {
    await installCrds(client);
    const aged = pause(crdAgeMs);
    // Else the garbage collector learns of the new kinds at any moment of the next 30 s, and does
    // its work for them in the middle of the measurement.
    await restart(place, 'kube-controller-manager');
    await aged;
  } catch (error) {
    await down(place);
    throw error;
  } finally {
    await client.close();
  }
  return {
    kubeconfig,
    controllerKubeconfig,
    folder: place,
    processes: () =>
      new Map(readState(place)?.processes.map(({ name, pid }) => [keyOf(name), pid] as const)),
    ...(audit
      ? {
          requests: () => Promise.resolve(tally(log.all())),
          audited: () => new AuditLog(auditLog, '').all(),
        }
      : {}),
    stop: () => down(place),
  };
}

const keyOf = (name: string): string =>
  Object.entries(keys).find(([own]) => own === name)?.[1] ?? name;
