// Instructions of the actor of a revision to its data plane, as intents.
import type { Instruct } from '../../contract/intents.ts';
import type { RevisionInstruction } from '../plane.ts';

export const instruct = (instruction: RevisionInstruction): Instruct => ({
  type: 'instruct',
  instruction,
});
