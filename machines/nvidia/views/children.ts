// DaemonSet, claim templates and labelled nodes of a ComputeDomain, under its UID. Nodes are apart:
// kubelets write them all the time, and only a domain that ends reads them.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import type { ObservedChild } from '../objects/children.ts';

export interface ChildrenEvent {
  readonly type: 'children.read';
  readonly children: readonly ObservedChild[];
}

export interface NodesEvent {
  readonly type: 'nodes.read';
  readonly nodes: readonly ObservedChild[];
}

export interface LabelledEvent {
  readonly type: 'labelled.read';
  readonly nodes: ReadonlySet<string>;
}

type ChildView = View<ObservedChild, readonly ObservedChild[]>;

const parts: Pick<ChildView, 'valueOf' | 'isSameItem' | 'isSame' | 'say'> = {
  valueOf: (items) => [...items.values()],
  isSameItem: (one, other) =>
    one.uid === other.uid && one.resourceVersion === other.resourceVersion,
  isSame: () => false,
  say: (children) => children.map(({ kind, name }) => `${kind} ${name}`).join(', '),
};

/** All but nodes. */
export const childrenOfDomain: ChildView = {
  ...parts,
  name: 'childrenOfDomain',
  event: (_, children = []): ChildrenEvent => ({ type: 'children.read', children }),
};

export const nodesOfDomain: ChildView = {
  ...parts,
  name: 'nodesOfDomain',
  event: (_, nodes = []): NodesEvent => ({ type: 'nodes.read', nodes }),
};

/** The names of the nodes with the label of the domain: whose index stays reserved. Nobody
 *  waits for it. */
export const labelledNodes: View<string, ReadonlySet<string>> = {
  name: 'labelledNodes',
  valueOf: (items) => new Set(items.values()),
  isSame: (one, other) => one.size === other.size && [...one].every((node) => other.has(node)),
  wakes: () => false,
  event: (_, nodes = new Set()): LabelledEvent => ({ type: 'labelled.read', nodes }),
  say: (nodes) => `${nodes.size} nodes`,
};

export const shownChild = (child: ObservedChild): readonly Entry[] =>
  child.kind === 'DomainNode'
    ? [entry(nodesOfDomain, child.domain, child), entry(labelledNodes, child.domain, child.name)]
    : [entry(childrenOfDomain, child.domain, child)];
