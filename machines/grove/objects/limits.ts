// Bounds of what Grove's behaviours plan or keep, so that a hostile or mistaken spec cannot exhaust
// the process. What is refused is said in lastErrors and by `why`.

/** Replicas of one PodCliqueSet: all are planned in one step, in some 40 ms. */
export const maxReplicasPerSet = 5_000;

/** Replicas of one PodCliqueScalingGroup: each above its minimum is a PodGang of its own. */
export const maxReplicasPerGroup = 5_000;

/** Pods of one PodClique: all are planned in one step, and one PodGang lists them. */
export const maxPodsPerClique = 2_000;

/** Pod groups of one PodGang, one for each of its PodCliques. */
export const maxGroupsPerGang = 1_000;

/** A token Secret that may be another's is created again after this time, then after double each
 *  time; one that is ours after the longest. */
export const firstTokenRepeatMs = 1_000;
export const lastTokenRepeatMs = 3_600_000;

/** Pods are created without waiting longer for the PodGroup of their scheduler. */
export const podGroupWaitMs = 1_000;

/** Replacing pods that end by themselves: the second within the window waits this long, then
 *  double each time. */
export const firstReplaceMs = 10_000;
export const lastReplaceMs = 300_000;

/** A process that has just started believes no breach for so long: it may have ended while nobody
 *  wrote that, and the statuses follow. */
export const startGraceMs = 10_000;

/** So long after its time, grace included, a terminating pod is stuck: volumes are let go by then,
 *  and Kubernetes itself gives up a node that is silent for so long. */
export const stuckAfterMs = 300_000;

/** Cliques in the template of one PodCliqueSet: each of them hears of every change of the gang. */
export const maxCliquesPerSet = 500;

/** The same of a PodGang, which lists all its pods. */
export const maxListNodes = 200_000;
