// The life of a SandboxTemplate.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { TemplateContext, TemplateEvent } from './context.ts';

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
  chart: { active: { regions: { life: classified({ alive: otherwise }) } } },
  steps: [],
  status: () => undefined,
  explain: {},
  fine: () => 'it is as it should be',
  view: ({ template }) => ({ resourceVersion: template?.resourceVersion ?? '' }),
  hasNothing: () => true,
  saysAll: true,
});
