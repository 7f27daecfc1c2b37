// The pods that a PodClique has and wants, as it publishes them for its PodGang, which lists them:
// a pod is created when it is listed, so its name is chosen and published before.
import { keyIn, single } from '../view.ts';
import type { CliqueContext, Step } from './context.ts';
import { missingPods, wantedNames } from './context.ts';
import type { CliqueFact } from './facts.ts';

export interface WantedPods {
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

const publish = (clique: CliqueFact, item: WantedPods) => ({
  intents: [{ type: 'publish', view: wantedPods, key: keyIn(clique, clique.name), item } as const],
  changes: {},
});

export const publishPods: Step = (context: CliqueContext, clique) =>
  publish(clique, {
    names: wantedNames(context, clique),
    missing: missingPods(context, clique),
  });

/** Of one that is being deleted: its pods go with it, and are missing until another one wants
 *  some. */
export const publishLeaving: Step = (_, clique) => publish(clique, { names: [], missing: 1 });
