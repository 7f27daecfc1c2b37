// What a ClusterTopologyBinding wants now: topologies of the backends as its levels say, a status
// that says how they stand, and an Event when that changes. Called at every settle.
import { announce } from '../errorbook.ts';
import { idle } from '../phases.ts';
import type { StepOf } from '../phases.ts';
import type { EpochMs, Intent } from '../vocabulary.ts';
import { findingsOf, planTopologies } from './backends.ts';
import type { Finding } from './backends.ts';
import type { BindingContext, Standing } from './context.ts';
import type { BindingFact } from './facts.ts';
import { driftOf, statusOf, writtenDrift } from './status.ts';

type Step = StepOf<BindingContext>;

/** Intents in order, and what the context must remember. One being deleted wants nothing: the
 *  garbage collector takes its topologies. */
export function plan(context: BindingContext, now: EpochMs): Step {
  const { binding } = context;
  if (binding === undefined || binding.deleting) return idle;
  const findings = findingsOf(context, binding);
  const ref = refOf(binding);
  const told = announce(context.errors, { ...ref, uid: binding.uid }, () => 'TopologySyncFailed');
  const isOpen = findings.some(({ inSync }) => inSync === undefined);
  const health = isOpen ? idle : tellDrift(context, binding, findings);
  const standing = isOpen ? 'unknown' : standingOf(findings);
  const status: Intent = {
    type: 'writeStatus',
    ref,
    reason: `topology ${standing}`,
    uid: binding.uid,
    status: statusOf(context, binding, findings, now),
    urgency: 'now',
  };
  return {
    intents: [
      ...planTopologies(context, binding),
      ...told.intents,
      ...health.intents,
      ...(isOpen ? [] : [status]),
    ],
    changes: {
      ...health.changes,
      ...(told.book === context.errors ? {} : { errors: told.book }),
      ...(standing === context.standing ? {} : { standing }),
    },
  };
}

const refOf = ({ name }: BindingFact) =>
  ({ kind: 'ClusterTopologyBinding', namespace: '', name }) as const;

const standingOf = (findings: readonly Finding[]): Standing =>
  findings.every(({ inSync }) => inSync === true) ? 'inSync' : 'drifted';

/** On a change of the condition only; after a start the written one counts as told. */
function tellDrift(
  context: BindingContext,
  binding: BindingFact,
  findings: readonly Finding[],
): Step {
  const before = context.told ?? writtenDrift(binding);
  const now = driftOf(context, findings)?.status;
  if (now === undefined || now === 'Unknown' || now === before) {
    return now === context.told ? idle : { intents: [], changes: { told: now } };
  }
  const notes = findings.flatMap(({ message, scheduler }) =>
    message === undefined ? [] : [`${scheduler}: ${message}`],
  );
  const intent: Intent = {
    type: 'recordEvent',
    regarding: { ...refOf(binding), uid: binding.uid },
    severity: now === 'True' ? 'Warning' : 'Normal',
    reason: now === 'True' ? 'TopologyDriftDetected' : 'TopologyInSync',
    note:
      now === 'True' ? notes.join('; ') : 'The topologies of all scheduler backends are in sync',
  };
  return { intents: [intent], changes: { told: now } };
}
