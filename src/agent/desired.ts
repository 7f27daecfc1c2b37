// From what a watch shows of a clique, or of a ComputeDomain, to what IMEX is to know and what its
// files hold. Pure; supervisor.ts acts on it.
import type { Desired } from './decide.ts';
import { namedNodes, plainNodes } from './files.ts';
import type { AgentSettings } from './settings.ts';
import type { Member, Row, Table } from './table.ts';
import { tableOf } from './table.ts';

export interface Plan {
  readonly desired: Desired;
  readonly members: readonly Member[];
  /** Content of the nodes file. */
  readonly nodes: string;
}

/** Rows that were read, and how many there have to be; 0: any number. */
export interface Seen {
  readonly rows: readonly Row[];
  readonly wanted: number;
}

export interface Judged {
  /** Undefined: IMEX stays as it is. */
  readonly plan: Plan | undefined;
  /** What is waited for; undefined: nothing. */
  readonly missing: 'own row' | 'other nodes' | undefined;
  readonly ignored: readonly string[];
}

/** Without names every node has to be there before IMEX starts, as its list is fixed then. */
export function judge({ rows, wanted }: Seen, settings: AgentSettings): Judged {
  const { node, pod, cliqueID, maxNodes, hasNames } = settings;
  const table = tableOf(rows, { node, ip: pod.ip, cliqueID, maxNodes });
  const { ignored, own } = table;
  if (own === undefined) return { plan: undefined, missing: 'own row', ignored };
  if (!hasNames && rows.length !== wanted) {
    return { plan: undefined, missing: 'other nodes', ignored };
  }
  return { plan: planOf(table, own, settings), missing: undefined, ignored };
}

function planOf({ members }: Table, own: Member, { hasNames, maxNodes }: AgentSettings): Plan {
  const map = members.map(({ index, ip }) => `${index} ${ip}`).join('\n');
  return hasNames
    ? { desired: { identity: own.index, map }, members, nodes: namedNodes(maxNodes) }
    : { desired: { identity: members.indexOf(own), map }, members, nodes: plainNodes(members) };
}
