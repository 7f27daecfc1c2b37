// A ComputeDomain as its actor reads it (spec compute-domain 1.1).
import { at, count, list, numberOf, object, text, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';

/** An entry of `status.nodes`. */
export interface DomainNode {
  readonly name: string;
  readonly ipAddress: string;
  /** Empty: the node has no fabric. */
  readonly cliqueID: string;
  readonly index: number;
  readonly status: string;
}

export interface ObservedDomain extends Meta {
  readonly kind: 'ComputeDomain';
  /** A lower bound for the global status; deprecated, 0 where it is not given. */
  readonly numNodes: number;
  /** Of the claim template for workloads, in the domain's namespace. */
  readonly templateName: string;
  readonly allocationMode: 'All' | 'Single';
  readonly nodes: readonly DomainNode[];
  readonly status: JsonObject;
}

export function readDomain(source: KubeObject): ObservedDomain | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const templateName = word(at(source, 'spec', 'channel', 'resourceClaimTemplate', 'name'));
  if (templateName === undefined) {
    return { malformed: 'spec.channel.resourceClaimTemplate.name is not a name' };
  }
  const status = object(source['status']);
  return {
    ...meta,
    kind: 'ComputeDomain',
    numNodes: count(at(source, 'spec', 'numNodes')) ?? 0,
    templateName,
    allocationMode: at(source, 'spec', 'channel', 'allocationMode') === 'All' ? 'All' : 'Single',
    nodes: list(status['nodes']).map(readNode),
    status,
  };
}

const readNode = (source: unknown): DomainNode => ({
  name: text(at(source, 'name')),
  ipAddress: text(at(source, 'ipAddress')),
  cliqueID: text(at(source, 'cliqueID')),
  index: numberOf(at(source, 'index')) ?? 0,
  status: text(at(source, 'status')),
});
