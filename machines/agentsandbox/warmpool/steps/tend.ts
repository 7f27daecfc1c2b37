// Sandboxes that should be members, or should be marked as such: orphans of the pool are taken over
// where there is room (R45), and what does not say that it is warm does so.
import type { Intent } from '../../../contract/intents.ts';
import { deletionOf, patchOf } from '../../../contract/object-intents.ts';
import type { JsonObject } from '../../../kubernetes/objects.ts';
import { idle } from '../../../statechart/step.ts';
import { annotation, label } from '../../objects/labels.ts';
import { controllerReference } from '../../objects/owner.ts';
import { isAssigned } from '../assigning/assigning.ts';
import type { Step } from '../context.ts';
import { orphansOf } from '../population.ts';

const warm = { [label.launchType]: 'warm' };

export const tendOrphans: Step = (context, pool) => {
  const { adopted, deleted } = orphansOf(context, pool.replicas);
  if (adopted.length + deleted.length === 0) return idle;
  const { maxBatchSize } = context.settings.warmPool;
  const annotations = { [annotation.pool]: pool.name };
  const metadata: JsonObject = {
    ownerReferences: [controllerReference(pool)],
    labels: warm,
    annotations,
  };
  const intents: Intent[] = [
    ...adopted.map((orphan) => {
      const { resourceVersion } = orphan;
      const reason = 'nobody controls it, and it has the label of this pool';
      return patchOf(orphan, reason, { metadata }, { resourceVersion });
    }),
    ...deleted.map((orphan) => ({
      ...deletionOf(orphan, 'nobody controls it, and this pool has no use for it'),
      resourceVersion: orphan.resourceVersion,
    })),
  ];
  return { intents: intents.slice(0, maxBatchSize), changes: {} };
};

export const labelMembers: Step = ({ unlabelled, members, settings, ...context }) => {
  if (unlabelled.size === 0) return idle;
  const names = unlabelled.entries().slice(0, settings.warmPool.maxBatchSize);
  const intents = names.flatMap(([name]) => {
    const member = isAssigned(context, name) ? undefined : members.get(name);
    if (member === undefined) return [];
    const { resourceVersion } = member;
    const patch = { metadata: { labels: warm } };
    return [patchOf(member, 'it is a member of a warm pool', patch, { resourceVersion })];
  });
  return { intents, changes: {} };
};
