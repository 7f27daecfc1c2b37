// Our finalizer on an object: on while it lives, so that its actor sees its deletion and can delete
// the children, and off when that is done; on a ComputeDomain, which has no actor, until its set
// lets it go. Finalizers of others stay. Used by the steps of PodCliqueSet, PodCliqueScalingGroup
// and PodClique.
import type { Intent } from '../contract/intents.ts';
import type { Kind } from '../contract/kind.ts';
import type { Meta } from '../kubernetes/meta.ts';
import { finalizer } from './objects/labels.ts';
import { patchOf } from './objects/intents.ts';

const held = {
  PodCliqueSet: { name: finalizer.set, called: 'PodCliqueSet' },
  PodCliqueScalingGroup: { name: finalizer.group, called: 'group' },
  PodClique: { name: finalizer.clique, called: 'PodClique' },
  ComputeDomain: { name: finalizer.domain, called: 'ComputeDomain' },
} as const satisfies Partial<Record<Kind, { name: string; called: string }>>;

type Held = Meta & { readonly kind: keyof typeof held };

/** Ours is on. */
export const isHeld = (own: Held): boolean => own.finalizers.includes(held[own.kind].name);

/** Nothing where it is on. */
function addFinalizer(own: Held): readonly Intent[] {
  const { name } = held[own.kind];
  if (own.finalizers.includes(name)) return [];
  return [patch(own, [...own.finalizers, name], 'add the finalizer')];
}

/** Nothing where it is off. */
export function removeFinalizer(own: Held): readonly Intent[] {
  const { name, called } = held[own.kind];
  if (!own.finalizers.includes(name)) return [];
  const others = own.finalizers.filter((other) => other !== name);
  return [patch(own, others, `let the ${called} go`)];
}

/** The step of whoever has one. */
export const ensureFinalizer = (_: unknown, own: Held) => ({
  intents: addFinalizer(own),
  changes: {},
});

/** Of the version that the list was made from. */
const patch = (own: Held, finalizers: readonly string[], reason: string): Intent => {
  const { resourceVersion } = own;
  return patchOf(own, reason, { metadata: { finalizers: [...finalizers] } }, { resourceVersion });
};
