// The pods that a PodClique has and wants, as it publishes them for its PodGang, which lists them:
// a pod is created when it is listed, so its name is chosen and published before.
import { single } from '../../contract/view.ts';

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
