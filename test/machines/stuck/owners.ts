// What keeps a set or a scaling group from being as its spec wants it: something that is there
// already, something that does not go, and gang termination.
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import { delayMs, kill, w1, w2, workload } from '#test/support/gangs.ts';
import type { World } from '#test/support/world.ts';
import { after, besides, key, named, ready, setKey, written, type Situation } from './situation.ts';

const two = cliqueSet(1);
const inOrder = cliqueSet(1, [{ name: 'worker' }, { name: 'second' }], {
  cliqueStartupType: 'CliqueStartupTypeInOrder',
});

const foreign = (kind: 'Service' | 'Secret', name: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'demo' },
});

/** A pod was lost a minute ago, and another is not placed. */
const breached = (): World =>
  after(ready(workload(w1)), (world) => {
    kill(world, 'demo-0-a');
    world.pass(60_000);
  });

/** A replica of the group is below a minimum, and the group is not. */
const groupBreached = (): World =>
  after(ready(workload({ ...w2, c: 3 })), (world) => kill(world, 'demo-0-x-1-c'));

/** The deletions of a termination are refused. */
const stuckTermination = (): World =>
  after(ready(workload(w1)), (world) => {
    kill(world, 'demo-0-a');
    world.options = { refuse: (op) => (op === 'delete' ? 'FORBIDDEN' : undefined) };
    world.pass(delayMs);
  });

export const ofOwners: readonly Situation[] = [
  {
    matter: 'Some PodCliques have too few pods',
    asked: setKey,
    world: () => written(cliqueSet(3)),
    says: ['PodClique demo-0-worker: 0 of at least 2 pods ready, 0 scheduled'],
  },
  {
    matter: 'A name that is needed is taken',
    asked: setKey,
    world: () => besides(foreign('Service', 'demo-0'), two),
    says: ['Service demo-0: create failed (ALREADY_EXISTS)', 'delete or rename it'],
  },
  {
    matter: 'The token Secret is somebody else’s',
    asked: setKey,
    world: () => besides(foreign('Secret', 'demo-ic-sat'), inOrder),
    says: ['Secret demo/demo-ic-sat exists and is not controlled by this PodCliqueSet'],
  },
  {
    matter: 'The spec cannot be acted upon',
    asked: setKey,
    world: () => written(cliqueSet(1, [{ name: 'worker' }, { name: 'worker' }])),
    says: ['spec.template.cliques has two named "worker"; names must be unique'],
  },
  {
    matter: 'The ClusterTopologyBinding of a constraint is missing',
    asked: setKey,
    world: () => {
      const topologyConstraint = { topologyName: 'fabric', pack: { required: 'rack' } };
      const set = cliqueSet(1, [{ name: 'worker' }], { topologyConstraint });
      return written(set, { settings: { isTopologyAware: true } });
    },
    says: ['constraints are not passed on', 'there is no ClusterTopologyBinding fabric'],
  },
  {
    matter: 'A set that is deleted is held by others',
    asked: setKey,
    world: () =>
      after(ready(named(two, { finalizers: ['backup.io/first'] })), (world) =>
        world.remove(demoSet),
      ),
    says: ['is being deleted; it is held by finalizer backup.io/first'],
  },
  {
    matter: 'A replica is below a minimum, and will be terminated',
    asked: setKey,
    world: breached,
    says: ['replica 0 is terminated in 9m0s, at ', 'PodClique demo-0-a: '],
    deadlineMs: delayMs - 60_000,
  },
  {
    matter: 'The same, asked of the PodClique',
    asked: key('podclique', 'demo-0-a'),
    world: breached,
    says: [
      'below its minimum of 2 since 2026-01-01T00:01:00Z',
      'PodCliqueSet demo knows when it is terminated for that',
    ],
  },
  {
    matter: 'A replica of a scaling group is below a minimum, and will be terminated',
    asked: key('scalinggroup', 'demo-0-x'),
    world: groupBreached,
    says: ['group replica 1 is terminated in 10m0s, at ', 'PodClique demo-0-x-1-c: '],
    deadlineMs: delayMs,
  },
  {
    matter: 'A termination waits for deletions that are refused',
    asked: setKey,
    world: stuckTermination,
    says: ['replica 0 is being terminated: waiting for the deletion of PodCliques demo-0-a'],
  },
  {
    matter: 'A replica was terminated and has not recovered',
    asked: setKey,
    world: () =>
      after(ready(workload(w1)), (world) => {
        kill(world, 'demo-0-a');
        world.pass(delayMs);
      }),
    says: ['replica 0 was terminated and recovers: PodCliqueScalingGroup demo-0-x terminates'],
  },
  {
    matter: 'A scaling group has no template any more',
    asked: key('scalinggroup', 'demo-0-engine'),
    world: () =>
      after(ready(groupedSet(1)), (world) => {
        world.remove(demoSet, 'Orphan');
        world.converge();
      }),
    says: ['PodCliqueSet demo was not seen: members are made from its template'],
  },
];
