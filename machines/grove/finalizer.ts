// Our finalizer on an object: on while it lives, so that its actor sees its deletion and can delete
// the children, and off when that is done; on a ComputeDomain, which has no actor, until its set
// lets it go. Finalizers of others stay. Used by the steps of PodCliqueSet, PodCliqueScalingGroup
// and PodClique.
import type { Intent } from '../contract/intents.ts';
import type { Kind } from '../contract/kind.ts';
import { withFinalizer, withoutFinalizer } from '../contract/object-intents.ts';
import type { Meta } from '../kubernetes/meta.ts';
import { finalizer } from './objects/labels.ts';

const held = {
  PodCliqueSet: { name: finalizer.set, called: 'PodCliqueSet' },
  PodCliqueScalingGroup: { name: finalizer.group, called: 'group' },
  PodClique: { name: finalizer.clique, called: 'PodClique' },
  ComputeDomain: { name: finalizer.domain, called: 'ComputeDomain' },
} as const satisfies Partial<Record<Kind, { name: string; called: string }>>;

type Held = Meta & { readonly kind: keyof typeof held };

/** Ours is on. */
export const isHeld = (own: Held): boolean => own.finalizers.includes(held[own.kind].name);

/** Nothing where it is off. */
export function removeFinalizer(own: Held): readonly Intent[] {
  const { name, called } = held[own.kind];
  return withoutFinalizer(own, name, `let the ${called} go`);
}

/** The step of whoever has one. */
export const ensureFinalizer = (_: unknown, own: Held) => ({
  intents: withFinalizer(own, held[own.kind].name, 'add the finalizer'),
  changes: {},
});
