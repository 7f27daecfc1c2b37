// Replicas of the controller on the real control plane that share the work through leases: each a
// process with a name, behind a proxy to the API server and one to NATS, so that either can be cut.
// Used by the tests about more than one process.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { systemClock } from '#src/time/clock.ts';
import { releaseNamespace } from '#test/cluster/chart.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program } from '#test/support/program.ts';
import { ApiProxy } from '../faults/proxy/api-proxy.ts';
import { kubeconfigThrough } from '../faults/proxy/kubeconfig.ts';
import { TcpProxy } from '../faults/proxy/tcp-proxy.ts';
import type { Stage } from './stage.ts';

export interface Member {
  readonly name: string;
  readonly program: Program;
  readonly api: ApiProxy;
  readonly nats: TcpProxy;
  /** `http://127.0.0.1:port` of health and metrics. */
  readonly url: string;
}

export interface MemberOptions {
  /** The entry of the command line; absent: that of these sources. */
  readonly main?: string;
  /** As of `env`: `NAME=value`. */
  readonly environment?: readonly string[];
}

const sources = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
export const terms = { durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 };
const shards = 16;
const sharedMs = 120_000;

export class Members {
  readonly #stage: Stage;
  readonly #all = new Map<string, Member>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Starts one; resolves when it is synced. */
  async start(name: string, options: MemberOptions = {}): Promise<Member> {
    const { main = sources, environment = [] } = options;
    const { given, folder } = this.#stage;
    const connection = await loadConnection({ file: given.controllerKubeconfig }, systemClock);
    const api = await ApiProxy.start(connection, { seed: 1 });
    const natsPort = Number(new URL(given.natsUrl).port);
    const nats = await TcpProxy.start(() => natsPort);
    const write = (what: string, content: object): string => {
      const file = join(folder, `${what}-${name}`);
      writeFileSync(file, JSON.stringify(content));
      return file;
    };
    const kubeconfig = write('kubeconfig', kubeconfigThrough(api, { token: 'any' }));
    const config = write('config', {
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      bus: { servers: [`nats://127.0.0.1:${nats.port}`], commands: true },
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      leases: { enabled: true, namespace: releaseNamespace, identity: name, ...terms },
    });
    const flags = ['controller', '--config', config, '--kubeconfig', kubeconfig];
    const words = [...environment, process.execPath, main, ...flags];
    const program = this.#stage.run('/usr/bin/env', words);
    const [, url = ''] = await program.line(/"health":"([^"]+)"/);
    await program.line(/controller synced/);
    const member = { name, program, api, nats, url };
    this.#all.set(name, member);
    return member;
  }

  /** How many shards each holds, as the leases say. */
  async shares(): Promise<Readonly<Record<string, number>>> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${releaseNamespace}/leases`;
    const { body } = await this.#stage.transport.request({ method: 'GET', path });
    const counts: Record<string, number> = {};
    for (const lease of list(at(body, 'items'))) {
      if (!text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-')) continue;
      const holder = text(at(lease, 'spec', 'holderIdentity')).replace(/-[0-9a-f]{8}$/, '');
      counts[holder] = (counts[holder] ?? 0) + 1;
    }
    return counts;
  }

  /** Until these have all shards, each its part. */
  async sharedBy(...names: readonly string[]): Promise<void> {
    const isShared = (counts: Readonly<Record<string, number>>): boolean => {
      const holders = Object.keys(counts).toSorted().join();
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const most = Math.max(...Object.values(counts));
      const share = Math.ceil(shards / names.length);
      return holders === names.toSorted().join() && all === shards && most <= share;
    };
    await eventually(`shared by ${names.join()}`, () => this.shares(), isShared, sharedMs);
  }

  /** What a probe is told: status and text of `/readyz`. */
  async ready({ url }: Member): Promise<{ readonly status: number; readonly text: string }> {
    const reply = await fetch(`${url}/readyz?verbose`);
    return { status: reply.status, text: await reply.text() };
  }

  /** SIGTERM; resolves when it has ended. */
  async leave({ program, name }: Member): Promise<void> {
    program.signal('SIGTERM');
    await program.ended;
    this.#all.delete(name);
  }

  /** Answers of 409 to any of them, but to the create of a Secret, which asks whether it is there
   *  (decision 0021), and to the status of a set, which a user may scale at the same moment. */
  get conflicts(): readonly string[] {
    return [...this.#all.values()].flatMap(({ name, api }) =>
      api.traffic.writes
        .filter(
          ({ status, kind }) => status === 409 && kind !== 'Secret' && kind !== 'PodCliqueSet',
        )
        .map((one) => `${name}: ${one.verb} ${one.kind} ${one.name}`),
    );
  }

  /** Writes of one that took effect. */
  writesOf({ api }: Member): number {
    return api.traffic.writes.filter(({ status }) => status >= 200 && status < 300).length;
  }

  async end(): Promise<void> {
    for (const { program, api, nats } of this.#all.values()) {
      await program.kill();
      await api.end();
      await nats.end();
    }
    this.#all.clear();
  }
}
