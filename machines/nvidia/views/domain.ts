// What is read of ComputeDomains by UID, which is all that the labels of cliques, daemons and
// children say.
import { entry, single } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import type { DomainNode, ObservedDomain } from '../objects/domain.ts';

export interface DomainFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  /** As its status lists them: whose index was which, should its clique be lost. */
  readonly nodes: readonly DomainNode[];
}

export interface DomainEvent {
  readonly type: 'domain.read';
  /** Undefined: there is none with this UID, as far as is known. */
  readonly domain: DomainFacts | undefined;
}

export const domainByUid: View<DomainFacts, DomainFacts> = {
  ...single<DomainFacts>({
    name: 'domainByUid',
    event: (_, domain): DomainEvent => ({ type: 'domain.read', domain }),
    say: ({ namespace, name, deleting }) => `${namespace}/${name}${deleting ? ', deleting' : ''}`,
  }),
  wakes: (before, now) => before?.deleting !== now?.deleting,
};

export const shownDomain = ({
  namespace,
  name,
  uid,
  deleting,
  nodes,
}: ObservedDomain): readonly Entry[] => [
  entry(domainByUid, uid, { namespace, name, uid, deleting, nodes }),
];
