// A pod of a ComputeDomain's DaemonSet: on which node it runs, in which clique, and whether it is
// ready (spec compute-domain 2.6, 3.2).
import { at, isObject, list, object, pick, text, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { annotation, domainLabel, label, maxNodesVariable } from './labels.ts';

export interface ObservedDaemon extends Meta {
  readonly kind: 'DaemonPod';
  /** UID of the ComputeDomain. */
  readonly domain: string;
  /** Undefined: it is starting and has not said yet; empty: its node has no fabric. */
  readonly cliqueID: string | undefined;
  /** Empty: it is not bound yet. */
  readonly node: string;
  /** Empty: it has none yet. */
  readonly ip: string;
  /** It is to run on: not terminating, and not over. */
  readonly isLive: boolean;
  /** Phase Running with condition Ready, and live. */
  readonly isReady: boolean;
  /** How many nodes its clique may have, as its DaemonSet was created with; undefined: it does not
   *  say. */
  readonly maxNodes: number | undefined;
  /** It restarts IMEX by itself when its own index changes. */
  readonly isAgent: boolean;
}

export function readDaemon(source: KubeObject): ObservedDaemon | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const domain = word(meta.labels[domainLabel]);
  if (domain === undefined) return { malformed: `label ${domainLabel} is empty` };
  const phase = text(at(source, 'status', 'phase'));
  const isLive = !meta.deleting && phase !== 'Succeeded' && phase !== 'Failed';
  return {
    ...meta,
    kind: 'DaemonPod',
    domain,
    cliqueID: meta.labels[label.clique],
    node: text(at(source, 'spec', 'nodeName')),
    ip: text(at(source, 'status', 'podIP')),
    isLive,
    isReady: isLive && phase === 'Running' && isConditionReady(at(source, 'status', 'conditions')),
    maxNodes: maxNodesOf(source),
    isAgent: meta.annotations[annotation.agent] === 'true',
  };
}

const isConditionReady = (conditions: unknown): boolean =>
  list(conditions).some((one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True');

function maxNodesOf(source: KubeObject): number | undefined {
  for (const container of list(at(source, 'spec', 'containers'))) {
    for (const variable of list(at(container, 'env'))) {
      if (at(variable, 'name') !== maxNodesVariable) continue;
      const value = Number(at(variable, 'value'));
      if (Number.isInteger(value) && value >= 1 && value <= 10_000) return value;
    }
  }
  return undefined;
}

/** What `readDaemon` reads besides metadata: the rest of a pod is most of it. */
export function keptOfDaemon(raw: JsonObject): Record<string, unknown> {
  const spec = object(raw['spec']);
  const containers = list(spec['containers']).map((container) => ({
    env: list(at(container, 'env')).filter((one) => at(one, 'name') === maxNodesVariable),
  }));
  const status = object(raw['status']);
  const conditions = list(status['conditions'])
    .filter(isObject)
    .filter(({ type }) => type === 'Ready');
  return {
    spec: { ...pick(spec, ['nodeName']), containers },
    status: { ...pick(status, ['phase', 'podIP']), conditions },
  };
}

/** The older one first, by name where that does not tell. */
const byAge = (one: ObservedDaemon, other: ObservedDaemon): number =>
  (one.createdAt ?? 0) - (other.createdAt ?? 0) || (one.name < other.name ? -1 : 1);

/** Of the pods of one node the one that counts: live before terminating, then the youngest
 *  (A-12). */
export function currentOf(pods: readonly ObservedDaemon[]): ObservedDaemon | undefined {
  const live = pods.filter(({ isLive }) => isLive);
  return (live.length > 0 ? live : pods).toSorted(byAge).at(-1);
}

/** In the order in which they are served. */
export const inOrder = (pods: readonly ObservedDaemon[]): readonly ObservedDaemon[] =>
  pods.toSorted(
    (one, other) =>
      (one.createdAt ?? 0) - (other.createdAt ?? 0) || (one.node < other.node ? -1 : 1),
  );
