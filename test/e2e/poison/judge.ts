// What must become of a poisoned set: the server refuses it with the field named, or it is stored
// and either carried out, or going, or its status says why nothing comes of it.
import { at, list, text } from '#machines/kubernetes/json.ts';

/** Undefined, or what is wrong with the answer to the create. */
export function badAnswer({ status, body }: { status: number; body: unknown }): string | undefined {
  const message = text(at(body, 'message'));
  const isNamed = /spec|metadata|status|body|too large/i.test(message);
  // Two of them may have the same name.
  if (status === 201 || status === 409) return undefined;
  if ([400, 413, 422].includes(status) && isNamed) return undefined;
  return `answered ${status}: ${message.slice(0, 300)}`;
}

/** Undefined where all is well with the set as it is now, or it is not there any more. */
export function silent(set: unknown): string | undefined {
  if (set === undefined || at(set, 'metadata', 'deletionTimestamp') !== undefined) return undefined;
  const status = at(set, 'status');
  const saysError = list(at(status, 'lastErrors')).some(
    (error) => text(at(error, 'description')) !== '',
  );
  const isParked = list(at(status, 'conditions')).some(
    (row) => at(row, 'type') === 'Parked' && text(at(row, 'message')) !== '',
  );
  const isDone = at(status, 'observedGeneration') === at(set, 'metadata', 'generation');
  if (saysError || isParked || isDone) return undefined;
  return `says nothing: ${JSON.stringify(status)?.slice(0, 300)}`;
}
