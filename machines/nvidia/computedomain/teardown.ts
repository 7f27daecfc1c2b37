// How a ComputeDomain ends (spec compute-domain 2.7): its children are deleted, its nodes lose the
// label, so that the daemons end; then what holds the children is taken off, those of the workload
// first, and at last what holds the domain. How far it has come is told by what is there, so every
// step may be done twice and a restart loses nothing.
import { firstOf } from '../../contract/limits.ts';
import type { Intent } from '../../contract/intents.ts';
import { withoutFinalizer } from '../../contract/object-intents.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { sayChild } from '../objects/children.ts';
import type { ObservedChild } from '../objects/children.ts';
import { finalizer } from '../objects/labels.ts';
import type { ObservedDomain } from '../objects/domain.ts';
import { deleteChild, releaseChild, unlabel } from '../removal.ts';
import { ownChildren, workloadTemplates } from './children/table.ts';
import type { DomainContext, Step } from './context.ts';

/** What the daemons need, which ends after what the workload needs. */
const ofDaemons = (context: DomainContext): readonly ObservedChild[] =>
  ownChildren(context).filter((child) => !workloadTemplates(context).includes(child));

export const teardown = classified<DomainContext, ObservedDomain>({
  deletingChildren: (context) => ownChildren(context).some(({ deleting }) => !deleting),
  unlabelling: ({ nodes }) => nodes.length > 0,
  releasingWorkload: (context) => workloadTemplates(context).length > 0,
  releasingDaemons: (context) => ofDaemons(context).length > 0,
  released: otherwise,
});

const all = (intents: readonly Intent[]) => ({ intents, changes: {} });

/** Each by itself: there may be a claim template without a DaemonSet. */
export const deleteChildren: Step = (context) =>
  all(ownChildren(context).flatMap((child) => deleteChild(child, 'its ComputeDomain goes')));

/** So many at a time, as each answer leads to another reconcile; those that failed come last. */
const maxNodesAtOnce = 100;

export const unlabelNodes: Step = ({ nodes, errors }) => {
  const failed = new Set(errors.map(({ ref }) => ref.name));
  const hasFailed = ({ name }: ObservedChild): boolean => failed.has(name);
  const inOrder = [...nodes.filter((node) => !hasFailed(node)), ...nodes.filter(hasFailed)];
  const some = inOrder.slice(0, maxNodesAtOnce);
  return all(some.map((node) => unlabel(node, 'its ComputeDomain goes')));
};

export const releaseWorkload: Step = (context) =>
  all(workloadTemplates(context).flatMap((child) => releaseChild(child, 'nobody gets channels')));

export const releaseDaemons: Step = (context) =>
  all(ofDaemons(context).flatMap((child) => releaseChild(child, 'no workload is left')));

/** Others may hold it longer. */
export const releaseDomain: Step = (_, domain) =>
  all(withoutFinalizer(domain, finalizer, 'nothing of it is left'));

export const whyDeleting = (context: DomainContext): readonly string[] =>
  ownChildren(context)
    .filter(({ deleting }) => !deleting)
    .map((child) => `${sayChild(child)} is about to be deleted`);

export const whyUnlabelling = ({ nodes }: DomainContext): readonly string[] => [
  `${nodes.length} nodes have its label, which ends their daemons when it goes: ` +
    firstOf(nodes.map(({ name }) => name)),
];

export const whyReleasing = (context: DomainContext): readonly string[] => {
  const workload = workloadTemplates(context);
  return (workload.length > 0 ? workload : ofDaemons(context)).map((child) =>
    whyStill(sayChild(child), child),
  );
};

export const whyReleased = (domain: ObservedDomain): readonly string[] => [
  whyStill(`ComputeDomain ${domain.name}`, domain),
];

const whyStill = (what: string, meta: Meta): string =>
  meta.finalizers.includes(finalizer)
    ? `${what} is about to be let go`
    : whyThere(what, meta, { ours: finalizer, waited: [] });
