// The Sandbox that is a member of a warm pool (spec agent-sandbox 2.3.8), and its name.
import { apiVersionOf } from '../../contract/kinds.ts';
import { wordOf } from '../../kubernetes/hash.ts';
import { at } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { blueprintOf, withPodMetadata } from './blueprint.ts';
import { annotation, label } from './labels.ts';
import { nameHash } from './name-hash.ts';
import { controllerReference } from './owner.ts';
import type { ObservedPool } from './pool.ts';
import type { ObservedTemplate } from './template.ts';

const suffixLength = 5;
/** As the API server cuts what it completes, so that the name is a host name and a label. */
const prefixLength = 63 - suffixLength;

/** Of the member with this number: whoever creates it, and however often, it is one (decision
 *  0003). No two numbers of a pool have the same: a member never meets the Sandbox of a claim. */
export const memberName = ({ name, uid }: Pick<Meta, 'name' | 'uid'>, ordinal: number): string =>
  `${`${name}-`.slice(0, prefixLength)}${wordOf(uid, ordinal, suffixLength)}`;

/** Its pod has its name, which is said from the start: nobody sees it ready without (R18). */
export function buildMember(
  pool: ObservedPool,
  template: ObservedTemplate,
  ordinal: number,
  { isEvictable }: { readonly isEvictable: boolean },
): KubeObject {
  const { podTemplate, volumeClaimTemplates, service, ...blueprint } = blueprintOf(template);
  const name = memberName(pool, ordinal);
  const hashes = {
    [label.warmPool]: nameHash(pool.name),
    [label.templateRefHash]: nameHash(template.name),
    [label.podTemplateHash]: blueprint.podTemplateHash,
    [label.templateHash]: blueprint.hash,
  };
  const safe = annotation.safeToEvict;
  const isSaid = at(podTemplate, 'metadata', 'annotations', safe) !== undefined;
  const eviction: Record<string, string> = isEvictable && !isSaid ? { [safe]: 'true' } : {};
  const spec: JsonObject = {
    podTemplate: withPodMetadata(podTemplate, hashes, eviction),
    ...(volumeClaimTemplates.length > 0 && { volumeClaimTemplates: [...volumeClaimTemplates] }),
    ...(service !== undefined && { service }),
  };
  return {
    apiVersion: apiVersionOf('Sandbox'),
    kind: 'Sandbox',
    metadata: {
      name,
      namespace: pool.namespace,
      labels: { ...hashes, [label.launchType]: 'warm', [label.createdBy]: 'controller' },
      annotations: {
        [annotation.templateRef]: template.name,
        [annotation.podName]: name,
        [annotation.pool]: pool.name,
        [annotation.ordinal]: String(ordinal),
      },
      ownerReferences: [controllerReference(pool)],
    },
    spec,
  };
}
