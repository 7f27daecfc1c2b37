// Where an activator learns what revisions there are and which pods they have: our configuration,
// Knative's objects, or both; the endpoints come from the API server in any case. All of it becomes
// observations, as if there were Revisions of Knative alone.
import type { Observation } from '#actors/ports.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Check } from '#src/http/probes.ts';
import type { KubeClient } from '#src/kube/client.ts';
import { type RevisionRow, revisionOf } from './configured.ts';

export interface SourcesOptions {
  readonly kube: Pick<KubeClient, 'reflect'>;
  readonly revisions: readonly RevisionRow[];
  /** `namespace/name` of the Service of the activators, where several share pods. */
  readonly activators?: string | undefined;
  /** True: Knative's objects are read, as soon as the cluster has its CRDs. */
  readonly isKnative: boolean;
  readonly observe: (observation: Observation) => void;
  /** The API server was restored from a backup: nothing is observed any more. */
  readonly lost: (error: CoppiceError) => void;
}

export interface Sources {
  /** After the first complete list of every kind; rejects with STOPPING when stopped before. */
  readonly synced: Promise<void>;
  /** Until then requests for revisions that are not known yet would be refused. A watch that breaks
   *  later is no reason: the tables stand, and pods show themselves by how they answer. */
  readonly ready: Check;
  stop(): void;
}

export function startSources(options: SourcesOptions): Sources {
  const { kube, revisions, activators, isKnative, observe, lost } = options;
  const own = new Set(revisions.map(nameOf));
  for (const row of revisions) {
    observe({ type: 'seen', kind: 'Revision', object: revisionOf(row, activators) });
  }
  const kinds: readonly Kind[] = [
    'EndpointSlice',
    ...(isKnative ? (['Revision', 'ServerlessService'] as const) : []),
  ];
  const emit = (observation: Observation): void => {
    if (!isHidden(observation, own)) observe(observation);
  };
  const reflection = kube.reflect(kinds, emit, { lost });
  let isSynced = false;
  const synced = reflection.synced.then(() => {
    isSynced = true;
  });
  synced.catch(() => {});
  return {
    synced,
    ready: {
      name: 'sources',
      run: () => {
        if (isSynced) return undefined;
        const open = reflection.health().filter((row) => !row.synced);
        const names = open.map(({ kind, lastFailure }) =>
          lastFailure === null ? kind : `${kind} (${lastFailure})`,
        );
        return `waits for the first list of ${names.join(', ')}`;
      },
    },
    stop: () => reflection.stop(),
  };
}

const nameOf = ({ namespace, name }: { namespace?: string; name: string }): string =>
  `${namespace ?? ''}/${name}`;

/** What our configuration says of a revision holds, whatever Knative says. */
function isHidden(observation: Observation, own: ReadonlySet<string>): boolean {
  if (own.size === 0) return false;
  if (observation.type === 'seen') {
    return observation.kind === 'Revision' && own.has(nameOf(observation.object.metadata));
  }
  return observation.ref.kind === 'Revision' && own.has(nameOf(observation.ref));
}
