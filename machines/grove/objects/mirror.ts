// Labels and annotations that a child takes over from its template or its set. Two annotations on
// the child list their keys, so that what leaves there can leave the child, while what others put
// on the child stays (10.1 rule 23). Used by the steps of PodCliqueSet and PodCliqueScalingGroup.
import type { StringMap } from '../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../kubernetes/merge.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { annotation } from './labels.ts';

export type Marks = Pick<Meta, 'labels' | 'annotations'>;

/** All that the child is to have, with the lists of what of it is taken over. */
export const withLists = ({ labels, annotations }: Marks, taken: Marks): Marks => ({
  labels,
  annotations: {
    ...annotations,
    ...listed(annotation.templateLabels, taken.labels),
    ...listed(annotation.templateAnnotations, taken.annotations),
  },
});

function listed(key: string, taken: StringMap): StringMap {
  const keys = Object.keys(taken).toSorted();
  return keys.length === 0 ? {} : { [key]: keys.join(',') };
}

/**
 * The patch of the metadata, or undefined where all is right. `ours`: annotations that nobody else
 * has a say in.
 */
export function patchOfMarks(
  there: Marks,
  wanted: Marks,
  ours: readonly string[] = [],
): JsonObject | undefined {
  const { templateLabels, templateAnnotations } = annotation;
  const staleLabels = stale(there.labels, wanted.labels, keysIn(there, templateLabels));
  const staleAnnotations = stale(there.annotations, wanted.annotations, [
    templateLabels,
    templateAnnotations,
    ...ours,
    ...keysIn(there, templateAnnotations),
  ]);
  const isRight =
    staleLabels.length + staleAnnotations.length === 0 &&
    isWithin(wanted.labels, there.labels) &&
    isWithin(wanted.annotations, there.annotations);
  if (isRight) return undefined;
  return {
    labels: { ...patchToward(there.labels, wanted.labels), ...removed(staleLabels) },
    annotations: {
      ...patchToward(there.annotations, wanted.annotations),
      ...removed(staleAnnotations),
    },
  };
}

const keysIn = ({ annotations }: Marks, list: string): readonly string[] =>
  annotations[list]?.split(',') ?? [];

const stale = (there: StringMap, wanted: StringMap, keys: readonly string[]): readonly string[] =>
  keys.filter((key) => Object.hasOwn(there, key) && !Object.hasOwn(wanted, key));

const removed = (keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, null]));
