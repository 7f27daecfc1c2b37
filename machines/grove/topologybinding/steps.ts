// The steps of a ClusterTopologyBinding: topologies of the backends as its levels say, and an Event
// when they drift or are in sync again.
import type { Intent } from '../../contract/intents.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import { announceErrorsOf } from '../failure-log.ts';
import type { ObservedBinding } from '../objects/topologybinding.ts';
import { findingsOf, planTopologies } from './backends.ts';
import { refOf } from './context.ts';
import type { BindingContext } from './context.ts';
import { writtenDrift } from './status.ts';

type Step = Rule<BindingContext, ObservedBinding, StepResult<BindingContext>>;

export const ensureTopologies: Step = (context, binding) => ({
  intents: planTopologies(context, binding),
  changes: {},
});

export const announceErrors: Step = (context, binding) => {
  const regarding = { ...refOf(binding), uid: binding.uid };
  return announceErrorsOf(context.errors, regarding, () => 'TopologySyncFailed');
};

/** On a change only; after a start what the condition says counts as told. */
const isReported = (context: BindingContext, binding: ObservedBinding, drift: string): boolean =>
  (context.lastReported ?? writtenDrift(binding)) === drift;

export const announceDrift: Step = (context, binding) => {
  const notes = findingsOf(context, binding).flatMap(({ message, scheduler }) =>
    message === undefined ? [] : [`${scheduler}: ${message}`],
  );
  const event: Intent = {
    type: 'recordEvent',
    regarding: { ...refOf(binding), uid: binding.uid },
    severity: 'Warning',
    reason: 'TopologyDriftDetected',
    note: notes.join('; '),
  };
  return tell(context, 'True', isReported(context, binding, 'True') ? [] : [event]);
};

export const announceInSync: Step = (context, binding) => {
  const event: Intent = {
    type: 'recordEvent',
    regarding: { ...refOf(binding), uid: binding.uid },
    severity: 'Normal',
    reason: 'TopologyInSync',
    note: 'The topologies of all scheduler backends are in sync',
  };
  return tell(context, 'False', isReported(context, binding, 'False') ? [] : [event]);
};

const tell = (
  { lastReported }: BindingContext,
  drift: string,
  intents: readonly Intent[],
): StepResult<BindingContext> => ({
  intents,
  changes: drift === lastReported ? {} : { lastReported: drift },
});

/** Nobody can say whether it drifted: what comes next is news. */
export const forgetDrift: Step = ({ lastReported }) =>
  lastReported === 'Unknown' ? idle : { intents: [], changes: { lastReported: 'Unknown' } };
