// The cluster on which all strategies join: one API server with NVIDIA's CRDs, nodes that nobody
// plays, and the accounts. It stays for all measurements of a command; between them etcd is
// compacted and defragmented.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, text } from '#machines/kubernetes/json.ts';
import { installCrds } from '#src/dev/crds.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { readState } from '#test/cluster/state.ts';
import { must } from '#test/support/workload.ts';
import { startGround } from '../../ground.ts';
import { Undoing } from '../../undoing.ts';
import { Window } from '../../window.ts';
import { type Access, accessOf } from '../wire.ts';
import { type Accounts, openAccounts, writeKubeconfig } from './accounts.ts';
import { addGuard } from './guard.ts';

export interface Stage {
  readonly client: HttpTransport;
  readonly admin: Access;
  readonly accounts: Accounts;
  /** Of the account at the centre. */
  readonly kubeconfig: string;
  /** Of the cluster, by name. */
  processes(): ReadonlyMap<string, number>;
  /** Lets the store forget what former measurements have written. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly cluster: 'embedded' | 'real';
  readonly isGuarded: boolean;
  /** For the largest measurement. */
  readonly nodes: number;
}

/** Requests of the benchmark itself in flight. */
export const preparing = 32;

export const startStage = (options: StageOptions): Promise<Stage> =>
  Undoing.of((undoing) => assemble(options, undoing));

async function assemble(options: StageOptions, undoing: Undoing): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-'));
  undoing.add(() => rm(folder, { recursive: true, force: true }));
  const ground = await startGround(folder, { cluster: options.cluster, nodes: 1 });
  undoing.add(() => ground.stop());
  const place = ground.folder;
  const compact = place === undefined ? () => Promise.resolve() : () => compactEtcd(place);
  const furnished = await furnish(ground.kubeconfig, options);
  undoing.add(() => furnished.client.close());
  const kubeconfig = join(folder, 'central.kubeconfig');
  await writeKubeconfig(kubeconfig, furnished.accounts.central);
  return {
    ...furnished,
    kubeconfig,
    processes: () => ground.processes(),
    compact,
    stop: () => undoing.stop(),
  };
}

/** What has to be on any cluster before daemons can join. */
export async function furnish(
  kubeconfig: string,
  { isGuarded, nodes }: Pick<StageOptions, 'isGuarded' | 'nodes'>,
): Promise<Pick<Stage, 'client' | 'admin' | 'accounts'>> {
  const connection = await loadConnection({ file: kubeconfig }, systemClock);
  const client = httpTransport(connection, { userAgent: 'coppice-bench', sockets: preparing });
  try {
    const admin = await accessOf(kubeconfig);
    await installCrds(client);
    if (isGuarded) await addGuard(client);
    const accounts = await openAccounts(client, admin);
    await addNodes(client, nodes);
    return { client, admin, accounts };
  } catch (error) {
    await client.close();
    throw error;
  }
}

export const nodeName = (index: number): string => `imex-${String(index).padStart(5, '0')}`;

/** Ready, and neither KWOK nor the simulated kubelet takes them for its own. */
async function addNodes(client: HttpTransport, count: number): Promise<void> {
  const window = new Window(preparing);
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' };
  const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      window.run(index, () =>
        must(client, {
          method: 'POST',
          path: '/api/v1/nodes',
          body: {
            apiVersion: 'v1',
            kind: 'Node',
            metadata: { name: nodeName(index) },
            status: { conditions },
          },
        }),
      ),
    ),
  );
}

/** By etcd's own gateway; a server that has none is an error, not a slower measurement. */
async function compactEtcd(folder: string): Promise<void> {
  const port = readState(folder)?.etcdPort;
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const url = `http://127.0.0.1:${port}/v3/${path}`;
    const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const answer: unknown = await reply.json();
    if (!reply.ok) throw new Error(`etcd refused ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const found = await ask('kv/range', { key: Buffer.from('/').toString('base64'), limit: '1' });
  const revision = text(at(found, 'header', 'revision'));
  await ask('kv/compaction', { revision, physical: true });
  await ask('maintenance/defragment', {});
}
