// Plays a recorded log against an embedded cluster, one entry after the other, and says how each
// answer compares with the recorded one. The cluster's own controllers are off: what they would do
// is in the log.
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { installCrds } from '#src/dev/crds.ts';
import { adminUser } from '#src/devcluster/auth/user.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { differences } from './compare.ts';
import type { Entry, Exchange } from './log.ts';
import { Names } from './names.ts';
import { playOther } from './others.ts';

export interface Compared {
  /** `POST /api/v1/namespaces/default/pods` */
  readonly request: string;
  /** Recorded, live. */
  readonly statuses: readonly [number, number];
  readonly differences: readonly string[];
}

const programs = { controller: 'coppice-controller', user: 'coppice-test' } as const;

export async function play(entries: readonly Entry[]): Promise<readonly Compared[]> {
  const cluster = createCluster({ clock: systemClock, random: seeded(1), controllers: false });
  await cluster.start();
  await installCrds(cluster.transport());
  const clients = new Map<string, KubeTransport>();
  const as = (program: string): KubeTransport => {
    const known = clients.get(program) ?? cluster.transport(adminUser, `${program}/1`);
    clients.set(program, known);
    return known;
  };
  const names = new Names();
  const compared: Compared[] = [];
  try {
    for (const entry of entries) {
      if (entry.type === 'given') await give(as('other'), entry.objects);
      else if (entry.type === 'request')
        compared.push(await ask(as(programs[entry.by]), names, entry));
      else {
        const object = names.translateObject(entry.object);
        names.learn(entry.object, await playOther({ as }, { ...entry, object }));
      }
    }
  } finally {
    await cluster.stop();
  }
  return compared;
}

async function give(client: KubeTransport, objects: readonly JsonObject[]): Promise<void> {
  for (const body of objects) await client.request({ method: 'POST', path: '/api/v1/nodes', body });
}

async function ask(client: KubeTransport, names: Names, exchange: Exchange): Promise<Compared> {
  const { method, path, contentType, body, status, answer } = exchange;
  const request: KubeRequest = {
    method,
    path,
    ...(contentType === undefined ? {} : { contentType }),
    ...(isObject(body)
      ? { body: names.translateObject(body) }
      : body === undefined
        ? {}
        : { body }),
  };
  const response = await client.request(request);
  names.learn(answer, response.body);
  return {
    request: `${method} ${path}`,
    statuses: [status, response.status],
    differences: differences(answer, response.body),
  };
}
