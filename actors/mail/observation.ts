// What an observation is of: its object, UID and version. Used by intake.ts.
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import { isNewer, isOlder } from '#machines/kubernetes/versions.ts';
import type { Observation } from '../ports.ts';

export const refOf = (observation: Observation): ObjectRef => {
  if (observation.type === 'gone') return observation.ref;
  const { name, namespace = '' } = observation.object.metadata;
  return { kind: observation.kind, namespace, name };
};

export const kindOf = (observation: Observation): Kind =>
  observation.type === 'gone' ? observation.ref.kind : observation.kind;

export const uidOf = (observation: Observation): string =>
  observation.type === 'gone' ? observation.uid : (observation.object.metadata.uid ?? '');

/** It is news of an object that was seen at this version. */
export const overtakes = (observation: Observation, version: string): boolean =>
  observation.type === 'gone'
    ? !isOlder(observation.upTo ?? '', version)
    : isNewer(versionOf(observation), version);

export const versionOf = ({ object }: Extract<Observation, { type: 'seen' }>): string =>
  object.metadata.resourceVersion ?? '';
