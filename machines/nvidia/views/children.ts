// DaemonSet, claim templates and labelled nodes of a ComputeDomain, under its UID.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import type { ObservedChild } from '../objects/children.ts';

export interface ChildrenEvent {
  readonly type: 'children.read';
  readonly children: readonly ObservedChild[];
}

export interface LabelledEvent {
  readonly type: 'labelled.read';
  readonly nodes: ReadonlySet<string>;
}

export const childrenOfDomain: View<ObservedChild, readonly ObservedChild[]> = {
  name: 'childrenOfDomain',
  valueOf: (items) => [...items.values()],
  isSameItem: (one, other) =>
    one.uid === other.uid && one.resourceVersion === other.resourceVersion,
  isSame: () => false,
  event: (_, children = []): ChildrenEvent => ({ type: 'children.read', children }),
  say: (children) => children.map(({ kind, name }) => `${kind} ${name}`).join(', '),
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

export const shownChild = (child: ObservedChild): readonly Entry[] => [
  entry(childrenOfDomain, child.domain, child),
  ...(child.kind === 'DomainNode' ? [entry(labelledNodes, child.domain, child.name)] : []),
];
