// Who else is at work on a bad day, where the options say so: on topologies, on ComputeDomains, on
// shared claims, on what the KAI scheduler looks after, on nodes, on templates. They change the
// sets that the user deploys, too.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { World } from '../world/world.ts';
import { Domains } from './domains.ts';
import { Kai, kaiGroups } from './kai.ts';
import { Sharing } from './sharing.ts';
import { Topology } from './topology.ts';
import { NodeLosses } from './node-losses.ts';
import { TemplateEdits } from './template-edits.ts';
import { namespace } from './workload.ts';

export interface Others {
  readonly topology: Topology | undefined;
  readonly domains: Domains | undefined;
  readonly sharing: Sharing | undefined;
  readonly kai: Kai | undefined;
  readonly losses: NodeLosses | undefined;
  readonly templates: TemplateEdits | undefined;
}

export interface OtherKinds {
  readonly hasTopology: boolean;
  readonly hasDomains: boolean;
  readonly hasSharing: boolean;
  readonly hasKai: boolean;
  readonly hasLosses: boolean;
  readonly hasUpdates: boolean;
}

export function othersOf(world: World, has: OtherKinds): Others {
  const ask = world.ask.bind(world);
  const { store } = world.cluster;
  const groups = () => store.collection(kaiGroups).list(namespace);
  return {
    topology: has.hasTopology ? new Topology(world.random('topology'), ask) : undefined,
    domains: has.hasDomains ? new Domains(world.random('domains'), ask, store) : undefined,
    sharing: has.hasSharing ? new Sharing(world.random('sharing'), ask, store) : undefined,
    kai: has.hasKai ? new Kai(world.random('kai'), ask, groups) : undefined,
    losses: has.hasLosses ? new NodeLosses(world) : undefined,
    templates: has.hasUpdates ? new TemplateEdits(world) : undefined,
  };
}

/** The set as they want it. */
export function dressed(set: JsonObject, others: Others): JsonObject {
  const { topology, domains, sharing, kai, losses } = others;
  const enrolled = domains?.enrol(set) ?? set;
  const shared = sharing?.dress(enrolled) ?? enrolled;
  const placed = topology?.constrain(shared) ?? shared;
  const scheduled = kai?.schedule(placed) ?? placed;
  return losses?.hasten(scheduled) ?? scheduled;
}

/** Nobody but the user. */
export const nobody: Others = {
  topology: undefined,
  domains: undefined,
  sharing: undefined,
  kai: undefined,
  losses: undefined,
  templates: undefined,
};
