// The parts of a PodCliqueSet that edits and refusals of a walk are about, read from the stored
// object. Used by edits.ts and refusals.ts.
import { at, fieldsAt, listAt, numberAt, textAt } from '../fields.ts';

export interface CliquePart {
  /** `spec.template.cliques[2]` */
  readonly path: string;
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable: number;
  readonly isMember: boolean;
  /** Undefined where it is not autoscaled. */
  readonly mostReplicas: number | undefined;
  /** No group and no other clique names it. */
  readonly isUnnamed: boolean;
}

export interface GroupPart {
  readonly path: string;
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable: number;
  readonly mostReplicas: number | undefined;
}

export interface Parts {
  readonly set: unknown;
  readonly startup: string;
  readonly cliques: readonly CliquePart[];
  readonly standalone: readonly CliquePart[];
  readonly groups: readonly GroupPart[];
}

export const template = 'spec.template';

export function partsOf(set: unknown): Parts {
  const raw = listAt(set, 'spec', 'template', 'cliques');
  const rawGroups = listAt(set, 'spec', 'template', 'podCliqueScalingGroups');
  const members = new Set(rawGroups.flatMap((group) => listAt(group, 'cliqueNames')));
  const parents = new Set(raw.flatMap((clique) => listAt(clique, 'spec', 'startsAfter')));
  const cliques = raw.map((clique, index) => {
    const name = textAt(clique, 'name');
    return {
      path: `${template}.cliques[${index}]`,
      name,
      replicas: numberAt(clique, 'spec', 'replicas'),
      minAvailable: numberAt(clique, 'spec', 'minAvailable'),
      isMember: members.has(name),
      mostReplicas: most(at(clique, 'spec', 'autoScalingConfig')),
      isUnnamed: !members.has(name) && !parents.has(name),
    };
  });
  return {
    set,
    startup: textAt(set, 'spec', 'template', 'cliqueStartupType'),
    cliques,
    standalone: cliques.filter(({ isMember }) => !isMember),
    groups: rawGroups.map((group, index) => ({
      path: `${template}.podCliqueScalingGroups[${index}]`,
      name: textAt(group, 'name'),
      replicas: numberAt(group, 'replicas'),
      minAvailable: numberAt(group, 'minAvailable'),
      mostReplicas: most(at(group, 'scaleConfig')),
    })),
  };
}

const most = (scaling: unknown): number | undefined =>
  'maxReplicas' in fieldsAt(scaling) ? numberAt(scaling, 'maxReplicas') : undefined;
