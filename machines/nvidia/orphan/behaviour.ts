// The life of a child of a ComputeDomain, as far as its domain does not lead it: while there is a
// domain with its UID, also one that is being deleted, nothing is done; where there is none for
// sure, it goes. The same for DaemonSets, claim templates and nodes.
import type { Behaviour } from '../../contract/behaviour.ts';
import { sayError } from '../../contract/failure-log.ts';
import type { ActorKind } from '../../contract/kind.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { sayChild } from '../objects/children.ts';
import type { ObservedChild } from '../objects/children.ts';
import { finalizer } from '../objects/labels.ts';
import type { NvidiaInput } from '../settings.ts';
import { isOurs, orphanReads, reduce, startContext } from './context.ts';
import type { OrphanContext, OrphanEvent } from './context.ts';
import {
  announceErrors,
  releaseOrphan,
  removeOrphan,
  searchDomain,
  whyOrphaned,
  whySearching,
} from './steps.ts';

/** In that order: what is known now counts, whatever was found before. A node is in no namespace,
 *  so its label is always the driver's. */
const domainOf = (kind: ActorKind) =>
  classified<OrphanContext, ObservedChild>({
    known: (context) => context.domain !== undefined,
    ...(kind === 'domainnode' ? {} : { foreign: (context, child) => !isOurs(context, child) }),
    searched: ({ search }) => !search.isDone,
    none: otherwise,
  });

const whyKnown = ({ domain: found }: OrphanContext): readonly string[] => [
  `ComputeDomain ${found?.namespace}/${found?.name} looks after it`,
];

const whyForeign = (): readonly string[] => [
  'it is in no namespace of the driver, or for nothing that we know, so it is left alone',
];

const whyLeaving = (child: ObservedChild): readonly string[] => [
  child.finalizers.includes(finalizer)
    ? `${sayChild(child)} is about to be let go`
    : whyThere(sayChild(child), child, { ours: finalizer, waited: [] }),
];

const view = ({ child, domain: found, search, errors }: OrphanContext): JsonObject => ({
  uid: child?.uid ?? null,
  domain: child?.domain ?? '',
  isKnown: found !== undefined,
  isSearched: search.isDone,
  errors: errors.map(sayError),
});

function orphan(kind: ActorKind): Behaviour<NvidiaInput> {
  const domain = domainOf(kind);
  const hasForeign = domain.states.has('foreign');
  return defineBehaviour<OrphanContext, ObservedChild, OrphanEvent, NvidiaInput>({
    kind,
    controller: kind,
    own: { of: ({ child }) => child, isGone: ({ isGone }) => isGone },
    start: startContext,
    reduce,
    reads: orphanReads,
    chart: { active: { regions: { domain } }, terminating: { regions: { domain } } },
    steps: [
      { do: searchDomain, in: ['active.domain.searched', 'terminating.domain.searched'] },
      { do: removeOrphan, in: ['active.domain.none'] },
      { do: releaseOrphan, in: ['terminating.domain.none'] },
      { do: announceErrors, in: ['active', 'terminating'] },
    ],
    // A child has a status of others.
    status: () => undefined,
    explain: {
      active: ({ errors }) => errors.map(sayError),
      terminating: ({ errors }) => errors.map(sayError),
      'active.domain.known': whyKnown,
      ...(hasForeign
        ? { 'active.domain.foreign': whyForeign, 'terminating.domain.foreign': whyForeign }
        : {}),
      'active.domain.searched': whySearching,
      'active.domain.none': (_, child) => whyOrphaned(child),
      'terminating.domain.known': whyKnown,
      'terminating.domain.searched': whySearching,
      'terminating.domain.none': (_, child) => whyLeaving(child),
    },
    fine: (_, child) => `${sayChild(child)} has its ComputeDomain`,
    view,
    hasNothing: () => true,
    saysAll: true,
  });
}

export const orphans: readonly Behaviour<NvidiaInput>[] = (
  ['domaindaemonset', 'domainclaimtemplate', 'domainnode'] as const
).map(orphan);
