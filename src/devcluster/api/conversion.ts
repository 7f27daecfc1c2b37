// The seam between the verbs and the webhooks that convert custom resources between versions. Only
// kinds whose CRD has one leave the synchronous path.
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';

/** The object in another version, metadata but labels and annotations as it was. Rejects with
 *  ApiError where the webhook does not convert it. */
export type Convert = (
  resource: ResourceInfo,
  object: Stored,
  apiVersion: string,
) => Promise<Stored>;

/** A value that is there already, or comes. */
export type Soon<T> = T | Promise<T>;

/** At once where the value is there. */
export const once = <A, B>(value: Soon<A>, next: (value: A) => B): Soon<B> =>
  value instanceof Promise ? value.then(next) : next(value);

/** At once where all of them are there. */
export const all = <T>(values: readonly Soon<T>[]): Soon<readonly T[]> =>
  values.some((each) => each instanceof Promise)
    ? Promise.all(values)
    : values.filter((each): each is Awaited<T> => !(each instanceof Promise));
