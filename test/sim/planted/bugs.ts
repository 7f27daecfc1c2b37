// The bugs that are planted to show that the simulator finds them: each is the patch
// `<id>.patch` beside this file. Read by search.ts and by the test that the patches still apply.

export interface PlantedBug {
  /** Also the name of the patch. */
  readonly id: string;
  /** What a programmer would have done wrong. */
  readonly description: string;
  /** The source that the patch changes. */
  readonly file: string;
  /** The kind of world in which it shows. Absent: the plain one. */
  readonly world?: 'topology' | 'sharing' | 'groups' | 'losses' | 'updates' | 'cliques' | 'pools';
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    id: 'uid-unchecked',
    description: 'drops a UID check: the end of an object ends the next one of its name',
    file: 'actors/mail/cache.ts',
  },
  {
    id: 'reply-unseen',
    description: 'acts on the cache after an own write: the object in the reply is not taken in',
    file: 'actors/effects/runner.ts',
  },
  {
    id: 'conflict-swallowed',
    description: 'swallows a 409: the write is taken for done',
    file: 'actors/effects/verdict.ts',
  },
  {
    id: 'deletes-forgotten',
    description: 'forgets deletes after a relist: what the list does not show stays known',
    file: 'src/kube/watch/object-index.ts',
  },
  {
    id: 'index-reused',
    description: 'reuses an index while the old pod lives: one that is not ready counts for none',
    file: 'machines/grove/podclique/steps/create-pods.ts',
  },
  {
    id: 'retry-after-ignored',
    description: 'ignores Retry-After: the own pause is taken where the server asked for more',
    file: 'actors/effects/concurrency.ts',
  },
  {
    id: 'epoch-omitted',
    description: 'omits the epoch: a write that waited over a change of hands is sent as it was',
    file: 'actors/effects/runner.ts',
  },
  {
    id: 'deadline-in-timer',
    description: 'keeps a deadline in a timer only: every plan begins the pause anew',
    file: 'machines/grove/podclique/steps/replace-finished.ts',
  },
  {
    id: 'adopted-by-name',
    description: 'adopts by name: pods of an earlier PodClique of the name are taken for its own',
    file: 'machines/grove/podclique/context.ts',
  },
  {
    id: 'terminating-counted',
    description: 'counts a terminating pod: its successor waits until it is gone',
    file: 'machines/grove/podclique/context.ts',
  },
  {
    id: 'create-doubled',
    description: 'doubles a create after a lost reply: the next attempt takes another name',
    file: 'machines/grove/podclique/reduce.ts',
  },
  {
    id: 'status-from-two',
    description: 'writes a status from two places: the PodClique writes that of its PodGang too',
    file: 'machines/grove/podclique/steps/announce.ts',
  },
  {
    id: 'list-from-cache',
    description: 'lists from a cache: resourceVersion=0 lets the server answer with the past',
    file: 'src/kube/paths.ts',
  },
  {
    id: 'take-over-unread',
    description: 'plans a tree that it takes over with the pods that its watch has shown so far',
    file: 'machines/grove/kinds.ts',
    world: 'topology',
  },
  {
    id: 'old-wish',
    description: 'plans a tree that it takes over by what its watch has shown of its specs so far',
    file: 'machines/grove/kinds.ts',
    world: 'sharing',
  },
  {
    id: 'shrunk-too-far',
    description: 'deletes one pod more than are too many at a scale-in inside a PodClique',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
  },
  {
    id: 'claim-ended-in-use',
    description: 'removes the claim of an index while a terminating pod has it',
    file: 'machines/grove/podclique/sharing.ts',
    world: 'sharing',
  },
  {
    id: 'base-going',
    description: 'opens gates for a base gang that is being deleted',
    file: 'machines/grove/views/gang-scheduling.ts',
    world: 'groups',
  },
  {
    id: 'outdated-sent',
    description: 'sends what waited for a pause though its actor wants it no more',
    file: 'actors/effects/runner.ts',
  },
  {
    id: 'young-terminated',
    description: 'terminates a gang that was never scheduled',
    file: 'machines/grove/objects/breach.ts',
    world: 'losses',
  },
  {
    id: 'lost-forgotten',
    description: 'forgets the index of a row that its daemon removed, or that went with the object',
    file: 'machines/nvidia/clique/context.ts',
    world: 'cliques',
  },
  {
    id: 'removed-unlisted',
    description:
      'removes the row of a daemon that the watch shows no more before the live list is there',
    file: 'machines/nvidia/clique/steps.ts',
    world: 'cliques',
  },
  {
    id: 'version-omitted',
    description: 'patches the rows of a clique without the version that they were decided on',
    file: 'machines/nvidia/clique/write.ts',
    world: 'cliques',
  },
  {
    id: 'repaired-into-another',
    description: 'repairs a shared index with the index of another row',
    file: 'machines/nvidia/clique/slots.ts',
    world: 'cliques',
  },
  {
    id: 'taken-unversioned',
    description: 'takes a member over without the version on which that was decided',
    file: 'machines/agentsandbox/warmpool/assigning/express.ts',
    world: 'pools',
  },
  {
    id: 'taken-unassigned',
    description: 'takes a member over before the assignment is stored on the claim',
    file: 'machines/agentsandbox/warmpool/assigning/serve.ts',
    world: 'pools',
  },
  {
    id: 'member-unversioned',
    description: 'deletes a member whatever has become of it since that was decided',
    file: 'machines/agentsandbox/warmpool/steps/remove.ts',
    world: 'pools',
  },
  {
    id: 'assigned-queued',
    description: 'queues a member again that is assigned to a claim already',
    file: 'machines/agentsandbox/warmpool/members.ts',
    world: 'pools',
  },
  {
    id: 'cold-undecided',
    description: 'starts a claim cold that its pool has not decided on',
    file: 'machines/agentsandbox/claim/binding.ts',
    world: 'pools',
  },
  {
    id: 'missing-unlisted',
    description: 'says that a pool is not there as soon as no watch shows it',
    file: 'machines/agentsandbox/claim/behaviour.ts',
    world: 'pools',
  },
  {
    id: 'terminating-replaced',
    description: 'replaces a member while it is being deleted',
    file: 'machines/agentsandbox/warmpool/population.ts',
    world: 'pools',
  },
  {
    id: 'ready-addressless',
    description: 'says that a claim is Ready without the addresses of its Sandbox',
    file: 'machines/agentsandbox/claim/status.ts',
    world: 'pools',
  },
  {
    id: 'expired-early',
    description: 'lets a claim expire five seconds before its time',
    file: 'machines/agentsandbox/binding/expiry.ts',
    world: 'pools',
  },
  {
    id: 'stale-kept',
    description: 'keeps outdated members under Recreate',
    file: 'machines/agentsandbox/warmpool/steps/remove.ts',
    world: 'pools',
  },
  {
    id: 'assigned-deleted',
    description: 'deletes members that are assigned to claims',
    file: 'machines/agentsandbox/warmpool/members.ts',
    world: 'pools',
  },
  {
    id: 'number-forgotten',
    description: 'takes another number for a member whose creation was answered by an error',
    file: 'machines/agentsandbox/warmpool/reduce.ts',
    world: 'pools',
  },
  {
    id: 'on-delete-kept',
    description: 'keeps the older template of members of a scaling group under OnDelete',
    file: 'machines/grove/scalinggroup/children/member.ts',
    world: 'updates',
  },
  {
    id: 'conditions-replaced',
    description: 'writes its own conditions of a PodGang in the place of all that are there',
    file: 'machines/grove/podgang/steps.ts',
  },
  {
    id: 'renewed-early',
    description: 'renews its lease twice as often as it should',
    file: 'actors/shards/lease/membership.ts',
  },
  {
    id: 'shard-kept',
    description: 'keeps a shard that was given away by hand',
    file: 'actors/shards/lease/keeper.ts',
  },
];
