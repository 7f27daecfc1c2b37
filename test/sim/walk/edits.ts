// What a walk does to a set, step by step: edits that are taken, edits that must be refused, and
// scaling of everything that can be scaled, as `kubectl scale` does it. Drawn from the seed and
// from what is there; walker.ts carries them out.
//
// Only what does not make the end hang on the order is edited. Left out, and why:
// - `replicas` of members in the template: their sum is in the environment of all pods of the group
//   (spec controllers 1.2.3), so that it stays as it was in pods that are there already.
// - scaling below `minAvailable`: pods that were placed stay, pods that come later wait for their
//   gang, so the end depends on who came first.
// - minAvailable, names, start-up order, sharing, topology: an update may not change them, which is
//   among what must be refused.
import type { Random } from '#actors/ports.ts';
import type { Replaced } from '#src/admission/rule.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, numberAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { cliques, groups, sets } from '../users/addresses.ts';
import { between, namespace, pick } from '../users/workload.ts';
import { type CliquePart, type GroupPart, type Parts, partsOf, template } from './parts.ts';
import { type Refusal, refusals } from './refusals.ts';

export type Step =
  | { readonly type: 'edit'; readonly values: Replaced }
  | ({ readonly type: 'refused' } & Refusal)
  | {
      readonly type: 'scale';
      /** Of the object. */
      readonly path: string;
      readonly name: string;
      readonly replicas: number;
      readonly how: 'patch' | 'replace';
      /** What the refusal says, where it must be refused. */
      readonly refused?: { readonly status: number; readonly says: string };
    };

type Draw = (random: Random, parts: Parts) => Replaced | undefined;

/** Of one part of the set, where it has any. */
const ofOne =
  <Part>(
    of: (parts: Parts) => readonly Part[],
    draw: (random: Random, part: Part) => Replaced | undefined,
  ): Draw =>
  (random, parts) => {
    const part = pick(random, of(parts));
    return part === undefined ? undefined : draw(random, part);
  };

const highest = 5;

const newReplicas = (random: Random, { minAvailable, mostReplicas }: CliquePart | GroupPart) =>
  between(random, minAvailable, Math.min(highest, mostReplicas ?? highest));

/** Bounds of an autoscaler, or none. */
function scaling(random: Random, { minAvailable, replicas }: CliquePart | GroupPart) {
  if (random.next() < 0.3) return null;
  const minReplicas = between(random, minAvailable, replicas);
  return { minReplicas, maxReplicas: between(random, replicas, 9) };
}

const draws: readonly Draw[] = [
  (random) => ({ 'spec.replicas': between(random, 0, 2) }),
  (random) => ({ 'spec.replicas': between(random, 1, 2) }),
  (random) => ({ [`${template}.terminationDelay`]: pick(random, ['5m', '1h30m']) ?? '5m' }),
  (random) => ({
    [`${template}.headlessServiceConfig`]: { publishNotReadyAddresses: random.next() < 0.5 },
  }),
  (random) => ({
    'metadata.labels': pick(random, [null, { team: 'red' }, { tier: 'gold' }]) ?? null,
  }),
  (random) => ({
    "metadata.annotations['example.org/note']": pick(random, [null, 'y', 'z']) ?? null,
  }),
  (random) => ({
    'spec.updateStrategy': { type: pick(random, ['OnDelete', 'RollingRecreate']) ?? 'OnDelete' },
  }),
  ofOne(
    (parts) => parts.cliques,
    (random, one) => ({
      [`${one.path}.labels['example.org/version']`]: pick(random, ['1', '2', '3']) ?? '1',
    }),
  ),
  (random) => ({
    "metadata.annotations['grove.io/pause-update']": pick(random, [null, null, 'true']) ?? null,
  }),
  ofOne(
    ({ standalone }) => standalone,
    (random, one) => ({ [`${one.path}.spec.replicas`]: newReplicas(random, one) }),
  ),
  ofOne(
    ({ standalone }) => standalone,
    (random, one) => ({ [`${one.path}.spec.autoScalingConfig`]: scaling(random, one) }),
  ),
  ofOne(
    (parts) => parts.groups,
    (random, one) => ({ [`${one.path}.replicas`]: Math.max(1, newReplicas(random, one)) }),
  ),
  ofOne(
    (parts) => parts.groups,
    (random, one) => ({ [`${one.path}.scaleConfig`]: scaling(random, one) }),
  ),
  ofOne(
    (parts) => parts.groups,
    (random, one) => ({
      [`${one.path}.annotations`]:
        pick(random, [null, { 'example.org/a': 'x' }, { b: 'y' }]) ?? null,
    }),
  ),
];

/** What holds an update is taken away at the end, or that would hang on the order. */
export const lastEdit: Replaced = {
  "metadata.annotations['grove.io/pause-update']": null,
  'spec.updateStrategy': { type: 'RollingRecreate' },
};

export function drawStep(random: Random, store: Store, set: Stored): Step {
  const parts = partsOf(set);
  const dice = random.next();
  if (dice < 0.25) {
    const refusal = pick(random, refusals(parts));
    if (refusal !== undefined) return { type: 'refused', ...refusal };
  }
  if (dice < 0.6) {
    const scale = drawScale(random, store, set);
    if (scale !== undefined) return scale;
  }
  for (;;) {
    const values = pick(random, draws)?.(random, parts);
    if (values !== undefined) return { type: 'edit', values };
  }
}

/** Of the set, of a group, of a PodClique, in one of ten times with a number that cannot be. */
function drawScale(random: Random, store: Store, set: Stored): Step | undefined {
  const live = (collection: string): readonly Stored[] =>
    store
      .collection(collection)
      .list(namespace)
      .filter((object) => at(object, 'metadata', 'deletionTimestamp') === undefined);
  const [path, object] =
    pick(random, [
      () => [sets, set] as const,
      () => [groups, pick(random, live('grove.io/podcliquescalinggroups'))] as const,
      () => [cliques, pick(random, live('grove.io/podcliques'))] as const,
      () => [cliques, pick(random, live('grove.io/podcliques'))] as const,
    ])?.() ?? [];
  if (path === undefined || object === undefined) return undefined;
  const least = path === sets ? 0 : numberAt(object, 'spec', 'minAvailable');
  const isMember = 'grove.io/podcliquescalinggroup' in labelsOf(object);
  const replicas = between(random, least, least + (isMember ? 1 : 2));
  const name = nameOf(object);
  const how = random.next() < 0.5 ? 'patch' : 'replace';
  const step = { type: 'scale', path: `${path}/${name}`, name, how } as const;
  if (random.next() >= 0.1) return { ...step, replicas };
  return { ...step, replicas: -1, refused: { status: 422, says: 'spec.replicas' } };
}
