// The life of a SandboxTemplate: one NetworkPolicy for all pods that are made from it, and the
// label by which they are found.
import { announceErrorsBy, sayError } from '../../contract/failure-log.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import { policyName } from '../objects/policy.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { TemplateContext, TemplateEvent } from './context.ts';
import {
  announceForeign,
  createPolicy,
  deletePolicy,
  forgetForeign,
  labelTemplate,
  policy,
  repairPolicy,
  sayForeign,
} from './policy.ts';

const announceErrors = announceErrorsBy(() => 'NetworkPolicyFailed');

const isNotForeign = ['missing', 'settled', 'drifted', 'unwanted', 'unmanaged'].map(
  (name) => `active.policy.${name}`,
);

export const sandboxTemplate = defineBehaviour<
  TemplateContext,
  ObservedTemplate,
  TemplateEvent,
  AgentSandboxInput
>({
  kind: 'sandboxtemplate',
  controller: 'sandboxtemplate',
  own: { of: ({ template }) => template, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  chart: { active: { regions: { policy } } },
  steps: [
    { do: labelTemplate, in: ['active'] },
    { do: createPolicy, in: ['active.policy.missing'] },
    { do: repairPolicy, in: ['active.policy.drifted'] },
    { do: deletePolicy, in: ['active.policy.unwanted'] },
    { do: announceForeign, in: ['active.policy.foreign'] },
    { do: forgetForeign, in: isNotForeign },
    { do: announceErrors, in: ['active'] },
  ],
  status: () => undefined,
  explain: {
    active: ({ errors }) => errors.map(sayError),
    'active.policy.missing': () => ['its NetworkPolicy is about to be made'],
    'active.policy.foreign': (context) => [sayForeign(context)],
    'active.policy.drifted': () => ['its NetworkPolicy is about to be repaired'],
    'active.policy.unwanted': () => ['its NetworkPolicy is about to be deleted'],
    terminating: () => ['it is being deleted; its NetworkPolicy goes by garbage collection'],
  },
  fine: (_, { name, isPolicyManaged }) =>
    isPolicyManaged
      ? `SandboxTemplate ${name} has its NetworkPolicy ${policyName(name)}`
      : `SandboxTemplate ${name} has no NetworkPolicy of ours`,
  view: ({ template, policy: there, errors }) => ({
    resourceVersion: template?.resourceVersion ?? '',
    policy: there?.name ?? '',
    errors: errors.map(sayError),
  }),
  hasNothing: () => true,
  saysAll: true,
});
