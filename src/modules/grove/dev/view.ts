// The picture of Grove that `coppice dev` paints on a terminal, the plain lines that it prints
// elsewhere, and how to go on. Pure functions from a scene to text.
import { bar, legend, mark, type Phase } from '#src/dev/picture.ts';
import type { Applied, DevLine, NextSteps } from '#src/modules/edge.ts';

export interface PodLine {
  readonly name: string;
  readonly clique: string;
  readonly phase: Phase;
}

export interface GangLine {
  readonly name: string;
  readonly initialized: boolean;
  /** Pods that the gang lists. */
  readonly listed: number;
  readonly ready: number;
}

export interface SetLine extends DevLine {
  readonly replicas: number;
  readonly available: number;
  readonly pods: { readonly wanted: number; readonly seen: number; readonly ready: number };
  readonly gangs: readonly GangLine[];
}

/** One line for one set, also used where there is no terminal. */
export const summary = (set: Omit<SetLine, 'summary'>): string => {
  const gangs = set.gangs.filter((gang) => gang.listed > 0 && gang.ready === gang.listed).length;
  // Scaling groups add gangs to those of the replicas.
  const all = Math.max(set.replicas, set.gangs.length);
  return `${set.key}: ${set.available}/${set.replicas} replicas available, ${gangs}/${all} gangs up, ${set.pods.ready}/${set.pods.wanted} pods ready`;
};

const gangText = (gang: GangLine): string =>
  `  ${gang.initialized ? '◆' : '◇'} ${gang.name}  ${gang.ready}/${gang.listed} ready`;

export function paint(sets: readonly SetLine[], pods: readonly PodLine[]): string[] {
  if (sets.length + pods.length === 0) return [];
  const lines: string[] = [];
  for (const set of sets) {
    lines.push(summary(set), `  ${bar(set.pods.ready, set.pods.wanted)}`);
    lines.push(...set.trouble.slice(0, 3).map((what) => `  ! ${what}`));
    lines.push(...set.gangs.map(gangText), '');
  }
  for (const [clique, members] of Map.groupBy(pods, (pod) => pod.clique)) {
    lines.push(`${members.map((pod) => mark[pod.phase]).join('')} ${clique}`);
  }
  return [...lines, '', `${legend}   ◇ gang forming  ◆ gang initialized`];
}

/** Of the first set. */
export function nextSteps([applied]: readonly Applied[]): NextSteps {
  const look = 'kubectl get pcs,pclq,pg,pods';
  if (applied === undefined) return { kubectl: [`${look} -A`], about: undefined };
  const [namespace = '', name = ''] = applied.key.split('/');
  return {
    kubectl: [
      `${look} --namespace ${namespace}`,
      `kubectl scale pcs ${name} --namespace ${namespace} --replicas 5`,
    ],
    about: { kind: 'podcliqueset', namespace, name },
  };
}
