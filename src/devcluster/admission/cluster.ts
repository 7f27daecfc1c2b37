// Ties admission by webhooks to a cluster's own store and registry. cluster.ts calls it once.
import { objectAt } from '#machines/kubernetes/fields.ts';
import type { Admission } from '#src/devcluster/api/admission.ts';
import type { Core } from '#src/devcluster/api/call.ts';
import { storageKey } from '#src/devcluster/api/resources/registry.ts';
import { newUid } from '#src/devcluster/api/verbs/meta.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { webhookAdmission } from './index.ts';
import type { PostReview } from './post.ts';

const group = 'admissionregistration.k8s.io';

export interface ClusterWebhooks {
  /** Sends the reviews: `webhookPoster().post`, or a function of a test. */
  readonly post: PostReview;
  /** Told of calls that failed and were passed over. */
  readonly ignored?: (webhook: string, why: string) => void;
}

export function clusterWebhooks(
  core: Pick<Core, 'store' | 'registry' | 'environment'>,
  webhooks: ClusterWebhooks,
): Admission {
  const mutating = core.store.collection(`${group}/mutatingwebhookconfigurations`);
  const validating = core.store.collection(`${group}/validatingwebhookconfigurations`);
  const namespaces = core.store.collection('/namespaces');
  const none: readonly Stored[] = [];
  return webhookAdmission({
    ...webhooks,
    mutating: () => (mutating.size === 0 ? none : mutating.list()),
    validating: () => (validating.size === 0 ? none : validating.list()),
    newUid: () => newUid(core.environment.random),
    versionsOf: (resource) =>
      core.registry.all.filter((each) => storageKey(each) === storageKey(resource)),
    namespaceLabels: (name) => {
      const namespace = namespaces.get('', name);
      return namespace === undefined ? undefined : objectAt(namespace.metadata, 'labels');
    },
  });
}
