// The picture of ComputeDomains that `coppice dev` paints on a terminal, the plain lines that it
// prints elsewhere, and how to go on. Pure functions from what is known to text.
import type { ObservedClique } from '#machines/nvidia/objects/clique.ts';
import type { ObservedDomain } from '#machines/nvidia/objects/domain.ts';
import { bar, legend, mark, type Phase } from '#src/dev/picture.ts';
import type { Applied, DevLine, NextSteps } from '#src/modules/edge.ts';

export interface DomainLine extends DevLine {
  readonly kind: 'ComputeDomain';
  /** How many nodes it takes to be ready. */
  readonly wanted: number;
  /** Of the nodes that have joined. */
  readonly nodes: readonly Phase[];
}

/** Done once its status says so and no row of its cliques says otherwise. */
export function lineOf(
  { namespace, name, numNodes, nodes, status }: ObservedDomain,
  cliques: readonly Pick<ObservedClique, 'rows'>[],
): DomainLine {
  const key = `${namespace}/${name}`;
  const ready = nodes.filter((node) => node.status === 'Ready');
  const rows = cliques.flatMap((clique) => clique.rows);
  const waiting = rows.filter((row) => row.status !== 'Ready');
  const wanted = Math.max(numNodes, nodes.length);
  return {
    kind: 'ComputeDomain',
    key,
    wanted,
    nodes: nodes.map((node) => (node.status === 'Ready' ? 'ready' : 'scheduled')),
    summary: `domain ${key}: ${ready.length}/${wanted} nodes ready, cliques: ${cliques.length}`,
    trouble: [
      ...(nodes.length < numNodes ? [`${nodes.length} of ${numNodes} nodes have joined`] : []),
      ...(waiting.length > 0 ? [`rows of its cliques that are not ready: ${waiting.length}`] : []),
    ],
    done: status['status'] === 'Ready' && waiting.length === 0,
  };
}

export function paint(lines: readonly DomainLine[]): readonly string[] {
  if (lines.length === 0) return [];
  return [...lines.flatMap(paintOne), '', legend];
}

function paintOne({ summary, wanted, nodes, trouble }: DomainLine): readonly string[] {
  const absent = Array.from({ length: wanted - nodes.length }, (): Phase => 'waiting');
  const ready = nodes.filter((phase) => phase === 'ready').length;
  return [
    summary,
    `  ${bar(ready, wanted)}`,
    `  ${[...nodes, ...absent].map((phase) => mark[phase]).join('')}`,
    ...trouble.map((what) => `  ! ${what}`),
  ];
}

const look = 'kubectl get computedomains,computedomaincliques -A';

export function nextSteps([first]: readonly Applied[]): NextSteps {
  if (first === undefined) return { kubectl: [look], about: undefined };
  const [namespace = '', name = ''] = first.key.split('/');
  return { kubectl: [look], about: { kind: 'computedomain', namespace, name } };
}
