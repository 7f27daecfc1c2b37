// A PodClique of a scaled gang asks the base gang whether it is scheduled, whenever it has a
// pod to create or to release, and is told when that changes. The question is repeated with growing
// pauses while the answer is no, since a message may be lost (spec controllers 3.4).
import { isDue, repeatAfter } from '../../deadline.ts';
import { idle } from '../../statechart/step.ts';
import type { Intent } from '../../vocabulary.ts';
import { livePods } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import type { CliqueFact } from '../facts.ts';
import { hasOurGate } from '../podfact.ts';
import { emptySeats } from './slots.ts';

/** What a PodClique asks its base PodGang. The answer is `base.told`. */
export interface BaseAsked {
  readonly type: 'base.asked';
  readonly clique: string;
  /** The answer was no or did not come for a while: a message may have been lost. */
  readonly isRepeated: boolean;
}

export const askBase: Step = (context, clique, now) => {
  const { base } = context;
  if (clique.baseGang === undefined || !isWaiting(context, clique)) {
    // The answer is good only for what waited for it: the next pod asks anew.
    return base === undefined ? idle : { intents: [], changes: { base: undefined } };
  }
  if (base?.isScheduled === true) return idle;
  if (base !== undefined && !isDue(base.repeat, now)) {
    return { ...idle, waits: [{ until: base.repeat.at }] };
  }
  const repeat = repeatAfter(base?.repeat, now);
  return {
    intents: [question(clique, clique.baseGang, base !== undefined)],
    changes: { base: { isScheduled: false, repeat } },
    waits: [{ until: repeat.at }],
  };
};

/** Some pod is to be created, or is held by our gate. */
const isWaiting = (context: CliqueContext, clique: CliqueFact): boolean =>
  emptySeats(context, clique).length > 0 || livePods(context, clique).some(hasOurGate);

const question = (clique: CliqueFact, gang: string, isRepeated: boolean): Intent => {
  const message: BaseAsked = { type: 'base.asked', clique: clique.name, isRepeated };
  return {
    type: 'tell',
    to: { kind: 'podgang', namespace: clique.namespace, name: gang },
    message: { ...message },
  };
};
