// Pods of a warm pool with a container that could not be started, under the hash of the pool's
// name: its refill slows down for them.
import { entry, keyIn, read } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import type { ObservedPod } from '../objects/belongings.ts';
import { label } from '../objects/labels.ts';

export interface StartErrors {
  readonly pods: number;
  /** One of them, with what its node says. */
  readonly example: string;
}

export type StartErrorsRead = Read<'startErrors', StartErrors>;

export const startErrors: View<string, StartErrors> = {
  name: 'startErrors',
  event: read('startErrors'),
  valueOf: (items) => {
    const [example] = items.values();
    return example === undefined ? undefined : { pods: items.size, example };
  },
  say: ({ pods }) => `${pods} pods with a StartError`,
};

export function shownStartError(pod: ObservedPod): readonly Entry[] {
  const { [label.warmPool]: hash } = pod.labels;
  return pod.startError === undefined || hash === undefined
    ? []
    : [entry(startErrors, keyIn(pod, hash), `pod ${pod.name}: ${pod.startError}`)];
}
