// One Warning for each kind of failed write that people were not told of yet.
import { announce } from '../../errorbook.ts';
import { refOf } from '../context.ts';
import type { Step } from '../context.ts';
import { eventReason } from '../status.ts';

export const announceErrors: Step = (context, set) => {
  const told = announce(context.errors, { ...refOf(set), uid: set.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
};
