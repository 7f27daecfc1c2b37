// What a PodCliqueSet, a scaling group or a clique asks of the places of its pods, in domains of a
// topology (spec api 1.2.4), and the same in node label keys, as PodGangs carry it (spec
// controllers 8.3). Read by template.ts and podcliqueset.ts, translated by children/placement.ts.
import { at, isObject, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { Level } from './topologybinding.ts';

/** Domains; empty where none is named. */
export interface Constraint {
  /** Of the ClusterTopologyBinding; empty: inherited from above. */
  readonly topologyName: string;
  /** `pack.required`, else the deprecated `packDomain`. */
  readonly required: string;
  readonly preferred: string;
}

/** The `topologyConstraint` of a template, a scaling group or a clique. */
export function readConstraint(owner: JsonObject): Constraint | undefined {
  const source = owner['topologyConstraint'];
  if (!isObject(source)) return undefined;
  return {
    topologyName: text(source['topologyName']),
    required: text(at(source, 'pack', 'required')) || text(source['packDomain']),
    preferred: text(at(source, 'pack', 'preferred')),
  };
}

export const domainsOf = ({ required, preferred }: Constraint): readonly string[] =>
  [required, preferred].filter((domain) => domain !== '');

/** In node label keys. A domain that is no level is left out; undefined where none is left. */
export function translated(
  constraint: Constraint | undefined,
  levels: readonly Level[],
): JsonObject | undefined {
  if (constraint === undefined) return undefined;
  const required = keyOf(constraint.required, levels);
  const preferred = keyOf(constraint.preferred, levels);
  if (required === '' && preferred === '') return undefined;
  return {
    packConstraint: {
      ...(required === '' ? {} : { required }),
      ...(preferred === '' ? {} : { preferred }),
    },
  };
}

const keyOf = (wanted: string, levels: readonly Level[]): string =>
  wanted === '' ? '' : (levels.find(({ domain }) => domain === wanted)?.key ?? '');
