// The NetworkPolicy of a template, and the label by which its pods are found: written only where
// they are not as they are to be (spec agent-sandbox 2.2, G14).
import { apiVersionOf } from '../../contract/kinds.ts';
import { deletionOf, patchOf, warning } from '../../contract/object-intents.ts';
import { patchInto } from '../../kubernetes/merge.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import { controllerReference } from '../objects/owner.ts';
import { isSamePolicy, policyName, policySpec } from '../objects/policy.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { Step, TemplateContext } from './context.ts';

type Is = Rule<TemplateContext, ObservedTemplate>;

const isOwned: Is = ({ policy }, { uid }) => policy?.controller?.uid === uid;

const isAsWanted: Is = ({ policy, settings }, template) =>
  policy !== undefined && isSamePolicy(policySpec(template, settings.routerNamespace), policy.spec);

export const policy = classified<TemplateContext, ObservedTemplate>({
  unwanted: (context, own, now) => !own.isPolicyManaged && isOwned(context, own, now),
  unmanaged: (_, { isPolicyManaged }) => !isPolicyManaged,
  missing: ({ policy: there }) => there === undefined,
  foreign: (context, own, now) => !isOwned(context, own, now),
  settled: isAsWanted,
  drifted: otherwise,
});

const hashLabel = ({ name }: ObservedTemplate): Record<string, string> => ({
  [label.templateRefHash]: nameHash(name),
});

const hasLabel = ({ labels, name }: ObservedTemplate): boolean =>
  labels[label.templateRefHash] === nameHash(name);

export const labelTemplate: Step = (_, own) =>
  hasLabel(own)
    ? idle
    : {
        intents: [
          patchOf(own, 'its pods are found by it', { metadata: { labels: hashLabel(own) } }),
        ],
        changes: {},
      };

export const createPolicy: Step = ({ settings }, own) => {
  const { namespace, name } = own;
  const ref = { kind: 'TemplatePolicy', namespace, name: policyName(name) } as const;
  const body: KubeObject = {
    apiVersion: apiVersionOf('TemplatePolicy'),
    kind: 'NetworkPolicy',
    metadata: { name: ref.name, namespace, ownerReferences: [controllerReference(own)] },
    spec: policySpec(own, settings.routerNamespace),
  };
  const reason = 'its NetworkPolicy is missing';
  return { intents: [{ type: 'createObject', ref, reason, body }], changes: {} };
};

export const repairPolicy: Step = ({ policy: there, settings }, own) => {
  if (there === undefined || there.deleting) return idle;
  const spec = patchInto(there.spec, policySpec(own, settings.routerNamespace));
  const reason = 'its NetworkPolicy is not what the template says';
  return { intents: [patchOf(there, reason, { spec })], changes: {} };
};

export const deletePolicy: Step = ({ policy: there }) =>
  there === undefined || there.deleting
    ? idle
    : { intents: [deletionOf(there, 'the template manages none')], changes: {} };

export const sayForeign = ({ key }: TemplateContext): string =>
  `refusing to update NetworkPolicy "${policyName(key.name)}" as it is not controlled by ` +
  `SandboxTemplate "${key.name}"`;

/** A template has no status that could say so. */
export const announceForeign: Step = (context, own) =>
  context.hasToldForeign
    ? idle
    : {
        intents: [warning(own, 'NetworkPolicyFailed', sayForeign(context))],
        changes: { hasToldForeign: true },
      };

export const forgetForeign: Step = ({ hasToldForeign }) =>
  hasToldForeign ? { intents: [], changes: { hasToldForeign: false } } : idle;
