// How the scheduler backends know a topology: one row per backend that does. What the binding's
// actor looks after is created here, what somebody else does is compared (spec controllers 1.5).
// People are told of both.
import type { Intent } from '../../contract/intents.ts';
import type { SchedulerBackend } from '../../contract/kind.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import type { ObservedBinding, ObservedTopology } from '../objects/topologybinding.ts';
import type { BindingContext, Query } from './context.ts';
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import { sayError } from '../../contract/failure-log.ts';
import { deletionOf } from '../../contract/object-intents.ts';
import { controlledBy } from '../objects/labels.ts';

/** What is known of one backend's copy of the topology. */
export interface Finding {
  readonly scheduler: string;
  readonly reference: string;
  /** Undefined while a write is under way that will tell. */
  readonly inSync: boolean | undefined;
  /** Why not. */
  readonly message?: string;
  /** A write was refused, so this is not what the spec asks for. */
  readonly isFailure?: true;
  /** Generation of the object that somebody else looks after; 0 where it is not there. */
  readonly generation?: number;
}

/** Backends that place pods by topology. */
export const topologyBackends: readonly SchedulerBackend[] = ['kai-scheduler'];

/** Enabled backends that know topologies, by name. */
export const awareBackends = ({ settings }: BindingContext): readonly SchedulerBackend[] =>
  topologyBackends.filter((name) => settings.schedulerNames.includes(name)).toSorted();

const keysOf = (binding: ObservedBinding): readonly string[] =>
  binding.levels.map(({ key }) => key);

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index]);

/** What to write for the backends whose topology is ours to look after. */
export const planTopologies: Query<readonly Intent[]> = (context, binding) =>
  awareBackends(context)
    .filter((name) => externalOf(binding, name) === undefined)
    .flatMap(() => planTopology(binding, context.topologies.get(binding.name)));

const externalOf = (binding: ObservedBinding, scheduler: string) =>
  binding.externals.find((entry) => entry.scheduler === scheduler);

/** The levels of a Topology never change, so another one takes its place. */
function planTopology(
  binding: ObservedBinding,
  there: ObservedTopology | undefined,
): readonly Intent[] {
  if (there === undefined) {
    const ref = { kind: 'Topology', namespace: '', name: binding.name } as const;
    const reason = `topology of ${binding.levels.length} levels`;
    return [{ type: 'createObject', ref, reason, body: buildTopology(binding) }];
  }
  const isOurs = isOwnedBy(there, 'ClusterTopologyBinding', binding.uid);
  if (!isOurs || there.deleting || isSame(there.keys, keysOf(binding))) return [];
  return [deletionOf(there, 'its levels are others')];
}

const buildTopology = (binding: ObservedBinding): KubeObject => ({
  apiVersion: 'kai.scheduler/v1alpha1',
  kind: 'Topology',
  metadata: {
    name: binding.name,
    ownerReferences: [controlledBy(binding)],
  },
  spec: { levels: keysOf(binding).map((nodeLabel) => ({ nodeLabel })) },
});

/** One finding per backend that knows topologies, then one per entry that names no such one. */
export function findingsOf(context: BindingContext, binding: ObservedBinding): readonly Finding[] {
  const known = awareBackends(context);
  const isKnown = (name: string): boolean => known.some((backend) => backend === name);
  return [
    ...known.map((name) => {
      const external = externalOf(binding, name);
      if (external === undefined) return judgeOwn(context, binding, name);
      return judgeExternal(binding, context.topologies.get(external.reference), external);
    }),
    ...binding.externals
      .filter(({ scheduler }) => !isKnown(scheduler))
      .map(({ scheduler, reference }) => ({
        scheduler,
        reference,
        inSync: false,
        message: `scheduler backend "${scheduler}" is not available for topology management`,
      })),
  ];
}

function judgeOwn(context: BindingContext, binding: ObservedBinding, scheduler: string): Finding {
  const { name: reference } = binding;
  const there = context.topologies.get(reference);
  const failure = context.errors.find(({ ref }) => ref.kind === 'Topology');
  if (there !== undefined && !isOwnedBy(there, 'ClusterTopologyBinding', binding.uid)) {
    const message = `KAI Topology "${reference}" exists and is not controlled by this binding`;
    return { scheduler, reference, inSync: false, message, isFailure: true };
  }
  if (there !== undefined && !there.deleting && isSame(there.keys, keysOf(binding))) {
    return { scheduler, reference, inSync: true };
  }
  if (failure === undefined) return { scheduler, reference, inSync: undefined };
  return { scheduler, reference, inSync: false, message: failure.message, isFailure: true };
}

function judgeExternal(
  binding: ObservedBinding,
  there: ObservedTopology | undefined,
  entry: { readonly scheduler: string; readonly reference: string },
): Finding {
  if (there === undefined) {
    const message = `KAI Topology "${entry.reference}" not found`;
    return { ...entry, inSync: false, message, generation: 0 };
  }
  const { generation } = there;
  if (isSame(there.keys, keysOf(binding))) return { ...entry, inSync: true, generation };
  const message = 'KAI Topology levels differ from ClusterTopologyBinding levels';
  return { ...entry, inSync: false, message, generation };
}

export const whyTerminating = (binding: ObservedBinding): string =>
  whyThere(`ClusterTopologyBinding ${binding.name}`, binding, { ours: '', waited: [] });

export const explainTopologies: Query<readonly string[]> = (context, binding) =>
  findingsOf(context, binding).flatMap(({ scheduler, reference, inSync, message }) => {
    if (inSync === undefined) return [`the topology ${reference} of ${scheduler} is being written`];
    return message === undefined ? [] : [`${scheduler}: ${message}`];
  });

/** For `/actors` and `ask state`. */
export const view = (context: BindingContext): JsonObject => ({
  uid: context.binding?.uid ?? null,
  levels: (context.binding?.levels ?? []).map(({ domain, key }) => ({ domain, key })),
  topologies: [...context.topologies.keys()].slice(0, maxListed),
  errors: context.errors.map(sayError),
});
