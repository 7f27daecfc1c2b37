// The life of a Sandbox.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { countedAs } from '../families.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { SandboxContext, SandboxEvent } from './context.ts';

export const sandbox = defineBehaviour<
  SandboxContext,
  ObservedSandbox,
  SandboxEvent,
  AgentSandboxInput
>({
  kind: 'sandbox',
  controller: 'sandbox',
  own: { of: ({ sandbox }) => sandbox, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  chart: { active: { regions: { life: classified({ alive: otherwise }) } } },
  steps: [],
  status: () => undefined,
  explain: {},
  fine: () => 'it is as it should be',
  view: ({ sandbox }) => ({
    resourceVersion: sandbox?.resourceVersion ?? '',
    ...(sandbox === undefined ? {} : { counted: countedAs(sandbox) }),
  }),
  hasNothing: () => true,
  saysAll: true,
});
