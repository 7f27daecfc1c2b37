// What the actors need to know of a ClusterTopologyBinding (spec api 1.5) and of the objects that
// scheduler backends keep of a topology (KAI's Topology). The binding is read by its own actor and
// by all PodCliqueSets that translate topology domains.
import { at, isObject, list, object, text } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { reading } from './meta.ts';

/** One level of the hierarchy, from the broadest to the narrowest. */
export interface Level {
  /** What workloads call it, e.g. `rack`. */
  readonly domain: string;
  /** The node label whose values tell its domains apart. */
  readonly key: string;
}

export interface External {
  readonly scheduler: string;
  /** Name of the backend's own object. */
  readonly reference: string;
}

export interface ObservedBinding extends Meta {
  readonly kind: 'ClusterTopologyBinding';
  readonly levels: readonly Level[];
  /** Backends whose topology object somebody else looks after. */
  readonly externals: readonly External[];
  readonly status: JsonObject;
}

export const readBinding = reading((source, meta): ObservedBinding | Malformed => {
  const spec = source['spec'];
  if (!Array.isArray(at(spec, 'levels'))) return { malformed: 'spec.levels is not a list' };
  return {
    ...meta,
    kind: 'ClusterTopologyBinding',
    levels: list(at(spec, 'levels'))
      .filter(isObject)
      .map((level) => ({ domain: text(level['domain']), key: text(level['key']) })),
    externals: list(at(spec, 'schedulerTopologyBindings'))
      .filter(isObject)
      .map((entry) => ({
        scheduler: text(entry['schedulerName']),
        reference: text(entry['topologyReference']),
      })),
    status: object(source['status']),
  };
}, 'Cluster');

/** A topology as KAI keeps it: cluster-scoped, its levels never change. */
export interface ObservedTopology extends Meta {
  readonly kind: 'Topology';
  /** Node label keys in order. */
  readonly keys: readonly string[];
}

export const readTopology = reading((source, meta): ObservedTopology | Malformed => {
  const levels = list(at(source['spec'], 'levels'));
  return {
    ...meta,
    kind: 'Topology',
    keys: levels.map((level) => text(at(level, 'nodeLabel'))),
  };
}, 'Cluster');

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
