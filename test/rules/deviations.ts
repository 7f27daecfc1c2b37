// Where Coppice does something else than Grove at fcc3b3bb on purpose: what Grove does, what
// happens here, and why. `of`: the hard case of table.ts or the section of the controllers'
// specification that it is about. Gaps that are closed need no line here: table.ts says what is
// right. Written into docs/grove-compatibility.md by `npm run surface`.

export interface Deviation {
  /** `rule 35` or `spec 5.6`. */
  readonly of: string;
  readonly grove: string;
  readonly here: string;
  readonly why: string;
}

const ofUpdates: readonly Deviation[] = [
  {
    of: 'rule 35',
    grove: 'deletes at once each old pod of which a container has ended with an error before',
    here: 'does so where the pod is not ready; one that is ready is replaced in its turn',
    why: 'it serves, and several of them at once would take the minimum away ([0030](decisions/0030-turns-are-read-off-the-status.md))',
  },
  {
    of: 'spec 5.6, 5.7',
    grove: 'waits for `minAvailable` by its status before it takes the next pod or replica',
    here: 'waits for the smaller of `minAvailable` and `replicas`, and looks again just before the deletion',
    why: 'what was scaled below its minimum would never be updated, and a status may be old',
  },
  {
    of: 'spec 5.6',
    grove: 'makes each member of a replica again as soon as the old one of its name is gone',
    here: 'makes none before the last old member of the replica goes',
    why: 'where one deletion is refused, the others would come and go without end',
  },
  {
    of: 'spec 5.4',
    grove: 'cannot be stopped in an update',
    here: 'the annotation `grove.io/pause-update: "true"` of the set holds an update where it is',
    why: 'users ask for it; breaches of minimums are judged meanwhile',
  },
  {
    of: 'spec 5.9',
    grove: 'has a proposal for coherent updates and `maxUnavailable`',
    here: 'neither is there',
    why: 'no released API has them',
  },
];

const ofHashes: readonly Deviation[] = [
  {
    of: 'rule 43',
    grove: 'hashes Go structures, in a way that nobody else can',
    here: 'hashes the JSON of the template with sorted keys; lists count in their order',
    why: 'it is deterministic, also between versions; what stands for the same is called by the hash of Grove',
  },
  {
    of: 'spec 5.1',
    grove: 'takes hashes of another controller for another template, and updates all',
    here: 'adopts those of Grove in the annotation `grove.io/adopted-hashes`, where children show the template',
    why: 'a take-over replaces no pod, nor does the way back ([0031](decisions/0031-hashes-of-grove-are-adopted.md))',
  },
];

const ofTerminations: readonly Deviation[] = [
  {
    of: 'rule 27',
    grove: 'a condition that is bad when it is first written begins at that time',
    here: 'it begins at the `creationTimestamp` of the object',
    why: 'what never was good is never terminated, however late its first status is',
  },
  {
    of: 'spec 4.2',
    grove: 'a PodClique that was terminated has the replicas of the template again',
    here: 'it keeps those that it was scaled to: the annotation `grove.io/kept-replicas` holds them meanwhile',
    why: 'an autoscaler or a person has set them',
  },
  {
    of: 'spec 4.2',
    grove: 'terminates at once what is due when it starts',
    here: 'waits ten seconds',
    why: 'what it finds may have recovered while no controller ran',
  },
  {
    of: 'rule 4',
    grove: 'counts a terminating pod as ready and scheduled for as long as it is there',
    here: 'until five minutes after it should be gone; the annotation `grove.io/force-delete-after` of the set has such pods deleted by force',
    why: 'the pods of a lost node stay ready, and hide a breach ([gang termination](gang-termination.md))',
  },
];

const ofObjects: readonly Deviation[] = [
  {
    of: 'spec 7.5',
    grove:
      'lets the server choose the names of pods, and gates each pod until its PodGang lists it',
    here: 'computes the names, so the PodGang lists pods first and most are made without a gate',
    why: 'fewer writes, and a repeated create makes no second pod ([0003](decisions/0003-deterministic-pod-names.md))',
  },
  {
    of: 'spec 2.4',
    grove: 'leaves the phase of a PodGang at `Pending`',
    here: 'it turns to `Running` once, by one write',
    why: 'the API says so ([0029](decisions/0029-ready-and-running.md))',
  },
  {
    of: 'spec 3.3',
    grove: 'writes `Initialized` False on each PodGang first',
    here: 'writes it once, when it is True',
    why: 'a write for each PodGang that nobody reads',
  },
  {
    of: 'gap 7',
    grove: 'makes nothing before the token Secret has its token',
    here: 'does not wait for it',
    why: 'only containers that start after others mount it ([0005](decisions/0005-token-secret-not-waited-for.md))',
  },
  {
    of: 'rule 48',
    grove: 'deletes the token Secret of an old name when no pod mounts it',
    here: 'it goes with its set',
    why: 'Secrets are not read ([0021](decisions/0021-token-secrets-are-not-read.md))',
  },
  {
    of: 'rule 53',
    grove: 'leaves the children of what is deleted to the garbage collector',
    here: 'deletes them itself, and waits for nothing but the answers',
    why: 'the collector takes minutes ([0009](decisions/0009-deletion-does-not-wait-for-the-collector.md))',
  },
  {
    of: 'spec 6.1',
    grove:
      'with InOrder, forgets the order in a scaled gang where a clique of another group stands between',
    here: 'the nearest clique before it in the same group is its parent',
    why: 'the order that was asked for',
  },
  {
    of: 'spec 9.3',
    grove: 'records an Event for each object that it writes, also where nothing changed',
    here: 'records what changed, once (an update by its beginning and its end, not by its pods), and failures',
    why: 'thousands of Events say nothing',
  },
  {
    of: 'gap 21',
    grove: 'never replaces a pod that has ended',
    here: 'replaces it; the second in a row after ten seconds, then with growing pauses to five minutes',
    why: 'a pod that fails at once must not spin',
  },
];

export const deviations: readonly Deviation[] = [
  ...ofUpdates,
  ...ofHashes,
  ...ofTerminations,
  ...ofObjects,
];
