// A cluster as Grove leaves it (spec controllers 1.1.5, 2, 5.1, 5.5): hashes of its own on
// PodCliques and pods, none of the annotations that are ours, statuses that name its hashes. Made
// of what Coppice deploys, since both make the same objects.
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { Store } from '#test/support/world-store.ts';

/** As Grove writes a hash: a number of 64 bits in the safe alphabet. */
const theirs = (ours: string): string => `6f8d9c5b7${ours}`;

const hashLabel = 'grove.io/pod-template-hash';
const ours = ['podcliqueset-generation-hash', 'template-labels', 'template-annotations'];

type Edit = (one: KubeObject) => KubeObject;

/** Nobody sees it happen. */
export function rewrite(world: Store, kind: string, edit: Edit): void {
  for (const [key, one] of world.objects) {
    if (one.kind === kind) world.objects.set(key, edit(one));
  }
}

const withStatus = (one: KubeObject, status: JsonObject): KubeObject => ({
  ...one,
  status: { ...object(one['status']), ...status },
});

const withHash: Edit = (one) => {
  const { labels = {}, annotations = {}, ...metadata } = one.metadata;
  const hash = labels[hashLabel];
  const kept = Object.entries(annotations).filter(([key]) => !ours.includes(key.slice(9)));
  return {
    ...one,
    metadata: {
      ...metadata,
      labels: { ...labels, ...(hash === undefined ? {} : { [hashLabel]: theirs(hash) }) },
      annotations: Object.fromEntries(kept),
    },
  };
};

/** At rest: nothing is under way. */
export function leftByGrove(world: Store): void {
  rewrite(world, 'Pod', withHash);
  rewrite(world, 'PodGang', withHash);
  for (const kind of ['PodClique', 'PodCliqueScalingGroup', 'PodCliqueSet']) {
    rewrite(world, kind, (one) => {
      const status = object(one['status']);
      const moved = [
        'currentPodTemplateHash',
        'currentPodCliqueSetGenerationHash',
        'currentGenerationHash',
      ]
        .filter((field) => typeof status[field] === 'string')
        .map((field) => [field, theirs(String(status[field]))]);
      return withStatus(withHash(one), Object.fromEntries(moved));
    });
  }
}

/** Of PodCliques whose pods Grove was replacing. */
export function updatingByGrove(world: Store): void {
  rewrite(world, 'PodClique', (one) => {
    const { updateProgress } = object(one['status']);
    if (updateProgress === undefined) return one;
    const { podTemplateHash, podCliqueSetGenerationHash, ...progress } = object(updateProgress);
    return withStatus(one, {
      updateProgress: {
        ...progress,
        podTemplateHash: theirs(String(podTemplateHash)),
        podCliqueSetGenerationHash: theirs(String(podCliqueSetGenerationHash)),
      },
    });
  });
}
