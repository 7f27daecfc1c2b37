// What the statuses of the floor say in a rolling update, with every field that spec controllers
// 5.4 to 5.10 has for it. They are whole, as they are written by PUT.
import { floorSet, judged, managed, newHashes } from './floor-objects.ts';

const time = new Date(0).toISOString();
const observedGeneration = 2;

const target = {
  updateStartedAt: time,
  podCliqueSetGenerationHash: newHashes.generation,
  podTemplateHash: newHashes.template,
};

const underWay = [
  judged('PodCliqueScheduled', 'True', 'SufficientScheduledPods'),
  judged('MinAvailableBreached', 'Unknown', 'UpdateInProgress'),
  judged('Ready', 'False', 'UpdateInProgress'),
];

/** Of a PodClique that has its new spec and whose turn is still to come. */
export const waiting = {
  observedGeneration,
  updatedReplicas: 0,
  conditions: [
    judged('PodCliqueScheduled', 'True', 'SufficientScheduledPods'),
    judged('MinAvailableBreached', 'False', 'SufficientReadyPods'),
    judged('Ready', 'False', 'PodsOutdated'),
  ],
};

/** Of one that replaces a pod, after these. */
export const replacing = (current: string, completed: readonly string[]) => ({
  observedGeneration,
  updatedReplicas: completed.length,
  updateProgress: { ...target, readyPodsSelectedToUpdate: { current, completed } },
  conditions: underWay,
});

export const replaced = {
  observedGeneration,
  currentPodTemplateHash: newHashes.template,
  currentPodCliqueSetGenerationHash: newHashes.generation,
  updateProgress: { ...target, updateEndedAt: time },
};

/** Of the set when it is the turn of this replica; of the number of replicas: it is over. */
export function setStatus(resourceVersion: string, replicas: number, turn: number): unknown {
  const isOver = turn === replicas;
  const { apiVersion, kind, metadata } = floorSet;
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, resourceVersion },
    status: {
      observedGeneration,
      replicas,
      availableReplicas: replicas,
      updatedReplicas: turn,
      hpaPodSelector: Object.entries(managed)
        .map(([key, value]) => `${key}=${value}`)
        .join(),
      currentGenerationHash: newHashes.generation,
      updateProgress: {
        updateStartedAt: time,
        ...(isOver
          ? { updateEndedAt: time }
          : { currentlyUpdating: [{ replicaIndex: turn, updateStartedAt: time }] }),
        updatedPodCliquesCount: turn,
        totalPodCliquesCount: replicas,
        updatedPodCliqueScalingGroupsCount: 0,
        totalPodCliqueScalingGroupsCount: 0,
      },
      conditions: [
        isOver
          ? judged('Ready', 'True', 'ReplicasReady')
          : judged('Ready', 'False', 'UpdateInProgress'),
      ],
    },
  };
}
