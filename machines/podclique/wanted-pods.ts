// The pods that a PodClique has and wants, as it publishes them for its PodGang, which lists them:
// a pod is created when it is listed, so its name is chosen and published before.
import { keyIn, single } from '../view.ts';
import type { CliqueContext, Step } from './context.ts';
import { currentGang, missingPods, wantedNames } from './context.ts';
import type { CliqueFact } from './facts.ts';

export interface WantedPods {
  /** UID of the PodGang that the PodClique takes for its own; undefined: none yet. */
  readonly gang: string | undefined;
  /** Sorted. */
  readonly names: readonly string[];
  /** Wanted and not there, or there without the label of their gang. */
  readonly missing: number;
}

export interface WantedPodsEvent {
  readonly type: 'wantedPods.read';
  /** Key of the PodClique. */
  readonly key: string;
  readonly pods: WantedPods | undefined;
}

/** By key of the PodClique. */
export const wantedPods = single<WantedPods>({
  name: 'wantedPods',
  event: (key, pods): WantedPodsEvent => ({ type: 'wantedPods.read', key, pods }),
  say: ({ names, missing }) => `${names.length - missing} of ${names.length} pods are there`,
});

function publish(context: CliqueContext, clique: CliqueFact, pods: Omit<WantedPods, 'gang'>) {
  const item: WantedPods = { gang: currentGang(context, clique)?.uid, ...pods };
  const key = keyIn(clique, clique.name);
  return { intents: [{ type: 'publish', view: wantedPods, key, item } as const], changes: {} };
}

export const publishPods: Step = (context, clique) =>
  publish(context, clique, {
    names: wantedNames(context, clique),
    missing: missingPods(context, clique),
  });

/** Of one that is being deleted: its pods go with it, and are missing until another one wants
 *  some. */
export const publishLeaving: Step = (context, clique) =>
  publish(context, clique, { names: [], missing: 1 });
