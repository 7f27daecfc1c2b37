// Who may replace what is of an older template: the PodCliques and the scaling groups of the one
// replica that the status of their set names (spec controllers 5.4, 5.5). A view over the set as it
// was written, so nobody acts on a choice that a restart would not know. One key for the whole set,
// which changes twice in an update, and one for a replica, which is there while it is its turn.
import { entry, keyIn, single, type Entry, type Read, type Reading } from '../../contract/view.ts';
import { at, word } from '../../kubernetes/json.ts';
import { label } from '../objects/labels.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { isOfOnDelete, isRunning, setProgress } from '../objects/progress.ts';

export interface Rollout {
  /** Of the set; whoever has not got it yet knows too little. */
  readonly generationHash: string;
  /** Open: no update runs, so what is of an older template may be replaced; closed: by turns, also
   *  what OnDelete has left. */
  readonly mode: 'open' | 'closed' | 'paused' | 'OnDelete';
}

export type RolloutEvent = Read<'rollout', Rollout> | Read<'rolloutTurn', string>;

/** By key of the PodCliqueSet. */
export const rollout = single<Rollout>({ name: 'rollout', say: ({ mode }) => mode });

/** By replica of a set: the hash of the generation that it is to reach. */
export const rolloutTurn = single<string>({ name: 'rolloutTurn', say: (hash) => hash });

const turnKey = (namespace: string, set: string, replica: string | number): string =>
  keyIn({ namespace }, `${set}/${replica}`);

/** Of a PodClique or a scaling group. */
export const rolloutReads = ({
  namespace,
  set,
  labels,
}: Pick<ObservedClique, 'namespace' | 'set' | 'labels'>): readonly Reading[] => [
  { view: rollout, key: keyIn({ namespace }, set) },
  { view: rolloutTurn, key: turnKey(namespace, set, labels[label.replicaIndex] ?? '') },
];

export function rolloutOfSet(set: ObservedSet): readonly Entry[] {
  const { generationHash, namespace, name, status } = set;
  const progress = setProgress(status);
  const isSettled = word(at(status, 'currentGenerationHash')) === generationHash;
  const { selected } = progress ?? {};
  const isOpen = isSettled && !isRunning(progress) && !isOfOnDelete(progress);
  const value: Rollout = { generationHash, mode: modeOf(set, isOpen) };
  const isTurn = isSettled && isRunning(progress) && value.mode === 'closed';
  return [
    entry(rollout, keyIn(set, name), value),
    ...(selected === undefined || !isTurn
      ? []
      : [entry(rolloutTurn, turnKey(namespace, name, selected.index), generationHash)]),
  ];
}

function modeOf(set: ObservedSet, isOpen: boolean): Rollout['mode'] {
  if (set.updatesOnDelete) return 'OnDelete';
  if (set.isPaused) return 'paused';
  return isOpen ? 'open' : 'closed';
}

export interface Turn {
  readonly rollout: Rollout | undefined;
  readonly turn: string | undefined;
}

export const noTurn: Turn = { rollout: undefined, turn: undefined };

export const withRollout = <C extends Turn>(context: C, event: RolloutEvent): C =>
  event.type === 'rollout.read'
    ? { ...context, rollout: event.value }
    : { ...context, turn: event.value };

/** What is of an older template than that of this generation may be replaced now. */
export const mayReplace = ({ rollout: of, turn }: Turn, generationHash: string | undefined) =>
  of !== undefined &&
  of.generationHash === generationHash &&
  (of.mode === 'open' || (of.mode === 'closed' && turn === generationHash));

/** Nothing is replaced until somebody changes the set. */
export const isHeld = ({ rollout: of }: Turn): boolean =>
  of?.mode === 'paused' || of?.mode === 'OnDelete';
