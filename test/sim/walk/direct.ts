// The other way to the end of a walk: the last spec is applied to an empty cluster, and what was
// scaled is scaled once. Used by run.ts to see that the way does not matter.
import type { Store } from '#src/devcluster/api/store/store.ts';
import { comeToRest } from '../ending.ts';
import { complaintsAbout } from '../expected/expected.ts';
import { calm } from '../faults/rates.ts';
import { textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { cliques, groups, sets } from '../users/addresses.ts';
import { namespace } from '../users/workload.ts';
import { World } from '../world/world.ts';
import { normalState } from './normal.ts';
import { replicasOf, desiredOf } from './walker.ts';

/** Groups first: scaling one makes PodCliques. */
const scaled = [
  [groups, 'grove.io/podcliquescalinggroups'],
  [cliques, 'grove.io/podcliques'],
] as const;

/** Sentences about what the store holds that direct application would not have made. */
export async function unlikeDirect(store: Store): Promise<readonly string[]> {
  const world = new World({ seed: 1, rates: calm, delivery: 'direct', hasAdmission: true });
  await world.start();
  world.processes.start();
  for (const set of store.collection('grove.io/podcliquesets').list(namespace)) {
    const { spec = null, labels = {}, annotations = {} } = desiredOf(set);
    const metadata = { name: nameOf(set), namespace, labels, annotations };
    const body = { apiVersion: 'grove.io/v1alpha1', kind: 'PodCliqueSet', metadata, spec };
    const answer = await world.ask({ method: 'POST', path: sets, body });
    if (answer.status !== 201)
      world.oracles.violate(`refused with ${textAt(answer.body, 'message')}`);
  }
  await comeToRest(world);
  for (const [path, kind] of scaled) {
    for (const object of store.collection(kind).list(namespace)) {
      const replicas = replicasOf(object);
      const live = world.cluster.store.collection(kind).get(namespace, nameOf(object));
      if (live === undefined || replicasOf(live) === replicas) continue;
      await world.ask({
        method: 'PATCH',
        path: `${path}/${nameOf(object)}/scale`,
        contentType: 'application/merge-patch+json',
        body: { spec: { replicas } },
      });
    }
    await comeToRest(world);
  }
  const is = normalState(store);
  const wanted = normalState(world.cluster.store);
  const wrong = [...complaintsAbout(world.cluster.store), ...world.oracles.violations];
  await world.stop();
  return [...wrong.map((what) => `direct application: ${what}`), ...difference(is, wanted)];
}

const identity = (line: string): string =>
  `${line.split(' ', 1)[0]} ${/"metadata":\{.*?"name":"([^"]*)"/.exec(line)?.[1]}`;

function difference(is: readonly string[], wanted: readonly string[]): readonly string[] {
  const [there, missing] = [new Set(is), new Set(wanted)];
  const extra = is.filter((line) => !missing.has(line));
  const lacking = wanted.filter((line) => !there.has(line));
  const partner = new Map(lacking.map((line) => [identity(line), line]));
  return [
    ...extra.map((line) => {
      const other = partner.get(identity(line));
      partner.delete(identity(line));
      if (other === undefined) return `direct application makes no ${identity(line)}`;
      return `${identity(line)} is ${around(line, other)}, by direct application ${around(other, line)}`;
    }),
    ...[...partner.keys()].map((key) => `direct application makes ${key} too`),
  ];
}

/** Where one differs from the other. */
function around(line: string, other: string): string {
  const place = [...line].findIndex((letter, index) => letter !== other[index]);
  return `...${line.slice(Math.max(0, place - 60), place + 80)}...`;
}
