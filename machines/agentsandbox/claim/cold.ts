// The Sandbox that is made for a claim that gets no member (spec agent-sandbox 2.4.6). It has the
// name of the claim, so a second attempt makes no second one (R7, R8).
import { apiVersionOf } from '../../contract/kinds.ts';
import { object } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { podMetadataFor, sharedLabels, traceOf } from '../binding/metadata.ts';
import { blueprintOf } from '../objects/blueprint.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { annotation, label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import { controllerReference } from '../objects/owner.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import { withEnv } from './env.ts';
import { isRefused, type Refused } from './refused.ts';
import { mergedVolumes } from './volumes.ts';

export function coldSandbox(
  claim: ObservedClaim,
  template: ObservedTemplate,
): KubeObject | Refused {
  const { name, namespace, env, volumeClaimTemplates: asked } = claim;
  const { podTemplate, volumeClaimTemplates: own, service } = blueprintOf(template);
  const spec = withEnv(object(podTemplate['spec']), env, template.envPolicy);
  if (isRefused(spec)) return spec;
  const volumes = mergedVolumes(own, asked, template.volumeClaimPolicy);
  if (isRefused(volumes)) return volumes;
  const { labels, annotations } = podMetadataFor(claim, template);
  return {
    apiVersion: apiVersionOf('Sandbox'),
    kind: 'Sandbox',
    metadata: {
      name,
      namespace,
      labels: {
        ...sharedLabels(claim, nameHash(template.name)),
        [label.launchType]: 'cold',
      },
      annotations: {
        [annotation.templateRef]: template.name,
        [annotation.pool]: claim.pool,
        ...traceOf(claim),
      },
      ownerReferences: [controllerReference(claim)],
    },
    spec: {
      podTemplate: { ...podTemplate, metadata: { labels, annotations }, spec },
      ...(volumes.length > 0 && { volumeClaimTemplates: [...volumes] }),
      ...(service !== undefined && { service }),
    },
  };
}
