// One Warning for each kind of failed write that people were not told of yet.
import { announce } from '../../errorbook.ts';
import type { ErrorEntry } from '../../errorbook.ts';
import { refOf } from '../context.ts';
import type { Step } from '../context.ts';

export const announceErrors: Step = (context, clique) => {
  const told = announce(context.errors, { ...refOf(clique), uid: clique.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
};

/** Reason of the Warning that goes with a failed write: Grove's; it has none for gates. */
function eventReason({ ref, op }: ErrorEntry): string {
  if (!isPod(ref.kind)) return 'PodCliqueCreateOrUpdateFailed';
  if (op === 'patch') return 'PodGateRemovalFailed';
  return op === 'create' ? 'PodCreateFailed' : 'PodDeleteFailed';
}

const isPod = (kind: string): boolean => kind === 'Pod';
