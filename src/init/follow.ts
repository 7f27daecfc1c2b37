// Follows the pods of a PodGang until the PodCliques that a pod starts after are ready. Shared by
// `coppice init` (over HTTPS) and the embedded cluster's plug-in (in-process), both with the
// identity of the pod that waits.
import type { Clock, Random, Telemetry } from '#actors/ports.ts';
import { label } from '#machines/grove/objects/labels.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { Reflector } from '#src/kube/watch/reflector.ts';
import { type Parents, StartOrder } from './order.ts';

export interface FollowOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Telemetry['log'];
  readonly namespace: string;
  /** Value of the label `grove.io/podgang` of the pod that waits. */
  readonly gang: string;
  readonly parents: Parents;
  /** Called once, at the first moment at which all parents are ready. */
  readonly met: () => void;
  /** Called when a parent becomes ready or is so no more, with those that are short. */
  readonly progress?: (missing: ReturnType<StartOrder['missing']>) => void;
}

/** Pages of a list are dropped as they are read: the smaller, the less memory is needed. */
const pageSize = 100;

/** Starts; the returned function stops, after which nothing is called. */
export function followParents(options: FollowOptions): () => void {
  const { transport, clock, random, log, namespace, gang, parents, met, progress } = options;
  const order = new StartOrder(parents);
  if (order.isMet) {
    met();
    return () => {};
  }
  let isOver = false;
  let lastKnown = order.missing().length;
  const reflector = new Reflector(
    'Pod',
    (observation) => {
      if (isOver) return;
      if (observation.type === 'seen') order.seen(observation.object);
      else order.gone(observation.ref.name);
      const missing = order.missing();
      if (missing.length !== lastKnown) progress?.(missing);
      lastKnown = missing.length;
      if (missing.length > 0) return;
      isOver = true;
      // The watch ends before anybody is told (10.1 rule 15).
      reflector.stop();
      met();
    },
    {
      transport,
      clock,
      random,
      log,
      pageSize,
      scope: { namespace, labelSelector: selectorOf(gang, parents) },
    },
  );
  reflector.resume();
  return () => {
    isOver = true;
    reflector.stop();
  };
}

/** Longer selectors could be too much for a URL; then the whole gang is watched. */
const maxSelectorLength = 2_000;

function selectorOf(gang: string, parents: Parents): string {
  const ofGang = `${label.podGang}=${gang}`;
  const narrow = `${ofGang},${label.podClique} in (${[...parents.keys()].toSorted().join(',')})`;
  return narrow.length <= maxSelectorLength ? narrow : ofGang;
}
