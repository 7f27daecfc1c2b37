// That a scaling group's replica of the set was terminated: the set has deleted its PodCliques and
// says so; the group's actor, which owns the status, shows it until the group is sound again, and
// meanwhile its breach terminates nothing (spec controllers 4.2, 10.1 rule 29).
import { single, type Read } from '../../contract/view.ts';

export interface GroupTermination {
  /** Of the scaling group. */
  readonly uid: string;
}

export type TerminationEvent = Read<'groupTermination', GroupTermination>;

/** By key of the scaling group. */
export const groupTermination = single<GroupTermination>({
  name: 'groupTermination',
  say: () => 'its replica was terminated',
});
