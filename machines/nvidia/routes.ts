// Who hears of which object, and what others may read of it. A clique is a tree of its own, so
// that cliques of one ComputeDomain may be in several shards; so is a domain, and each child, which
// looks after itself where its domain is gone.
import type { ActorKey } from '../contract/address.ts';
import type { ActorKind } from '../contract/kind.ts';
import { route } from '../contract/route.ts';
import type { Delivery, Route } from '../contract/route.ts';
import type { Meta } from '../kubernetes/meta.ts';
import { readChild } from './objects/children.ts';
import type { ChildKind, ObservedChild } from './objects/children.ts';
import { readClique } from './objects/clique.ts';
import type { ObservedClique } from './objects/clique.ts';
import { readDaemon } from './objects/daemon-pod.ts';
import type { ObservedDaemon } from './objects/daemon-pod.ts';
import { readDomain } from './objects/domain.ts';
import type { ObservedDomain } from './objects/domain.ts';
import { cliqueName } from './objects/labels.ts';
import { shownChild } from './views/children.ts';
import { shownClique } from './views/cliques.ts';
import { shownDaemon } from './views/daemons.ts';
import { shownDomain } from './views/domain.ts';

const to =
  (kind: ActorKind, { namespace, name }: Pick<Meta, 'namespace' | 'name'>) =>
  (event: Delivery['event'] & { readonly [field: string]: unknown }): readonly Delivery[] => {
    const key: ActorKey = { kind, namespace, name };
    return [{ to: key, root: key, event }];
  };

/** The clique that the pod says it is in, if it is in one. */
const toClique = ({ namespace, domain, cliqueID = '' }: ObservedDaemon) =>
  cliqueID === ''
    ? (): readonly Delivery[] => []
    : to('clique', { namespace, name: cliqueName(domain, cliqueID) });

const child = (kind: ChildKind, actor: ActorKind): Route =>
  route<ObservedChild>(kind, {
    decode: readChild(kind),
    seen: (observed) =>
      observed.domain === '' ? [] : to(actor, observed)({ type: 'child.observed', observed }),
    gone: (observed) => to(actor, observed)({ type: 'child.gone', uid: observed.uid }),
    shown: (observed) => (observed.domain === '' ? [] : shownChild(observed)),
  });

export const nvidiaRoutes: readonly Route[] = [
  route<ObservedDomain>('ComputeDomain', {
    decode: readDomain,
    seen: (observed) => to('computedomain', observed)({ type: 'domain.observed', observed }),
    gone: (observed) => to('computedomain', observed)({ type: 'domain.gone', uid: observed.uid }),
    shown: shownDomain,
  }),
  route<ObservedClique>('ComputeDomainClique', {
    decode: readClique,
    seen: (observed) => to('clique', observed)({ type: 'clique.observed', observed }),
    gone: (observed) => to('clique', observed)({ type: 'clique.gone', uid: observed.uid }),
    shown: shownClique,
  }),
  route<ObservedDaemon>('DaemonPod', {
    decode: readDaemon,
    seen: (observed) => toClique(observed)({ type: 'daemon.observed', observed }),
    gone: (observed) => toClique(observed)({ type: 'daemon.gone', observed }),
    shown: shownDaemon,
  }),
  child('DomainDaemonSet', 'domaindaemonset'),
  child('DomainClaimTemplate', 'domainclaimtemplate'),
  child('DomainNode', 'domainnode'),
];
