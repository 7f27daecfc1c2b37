// Where an update stands, asked of the set, a PodClique and a scaling group.
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import { liveWithoutRoom } from '../grove/rollout/stage.ts';
import type { World } from '#test/support/world.ts';
import {
  after,
  groupKey,
  key,
  named,
  noRoom,
  ready,
  report,
  setKey,
  update,
  workerKey,
  type Situation,
} from './situation.ts';

const three = [{ name: 'worker', replicas: 3, minAvailable: 2 }];

const annotated = (annotations: Readonly<Record<string, string>>) =>
  named(cliqueSet(2), { annotations });

const paused = (): World => update(ready(annotated({ 'grove.io/pause-update': 'true' })));

const onDelete = (): World =>
  after(ready(cliqueSet(2)), (world) => {
    world.edit(demoSet, { spec: { updateStrategy: { type: 'OnDelete' } } });
    world.stabilize();
    update(world);
    world.converge();
  });

/** Another generation of pods finds no room. */
const withoutRoom = (set = cliqueSet(1, three)): World =>
  after(update(ready(set)), (world) => {
    for (let round = 0; round < 4; round++) liveWithoutRoom(world);
  });

/** One of the old pods is lost and finds no room, so that the minimum is not there. */
const belowMinimum = (): World =>
  after(ready(cliqueSet(1, [{ name: 'worker', replicas: 2 }])), (world) => {
    report(world, 'demo-0-worker', noRoom);
    update(world);
  });

export const ofUpdates: readonly Situation[] = [
  {
    matter: 'An update is at a replica of the set',
    asked: setKey,
    world: () => update(ready(cliqueSet(2))),
    says: [
      'the update is at replica 0, 0 of 2 are done: 1 of 2 pods of PodClique demo-0-worker are of',
    ],
  },
  {
    matter: 'An update waits until the pod that comes for the one before is ready',
    asked: workerKey,
    world: withoutRoom,
    says: ['2 of 3 pods are of an older template; the update goes on when the pod that comes for'],
  },
  {
    matter: 'An update waits for the minimum before it deletes the next pod',
    asked: workerKey,
    world: belowMinimum,
    says: ['of an older template; the next one goes when at least 2 pods are ready; 1 are'],
  },
  {
    matter: 'An update has not come to a replica yet',
    asked: key('podclique', 'demo-1-worker'),
    world: () => update(ready(cliqueSet(2))),
    says: ['2 pods are of an older template: the update', 'not come to this replica'],
  },
  {
    matter: 'An update is paused',
    asked: setKey,
    world: paused,
    says: ['the update is paused, 0 of 2 are done', 'grove.io/pause-update'],
  },
  {
    matter: 'The same, asked of a PodClique',
    asked: workerKey,
    world: paused,
    says: ['2 pods are of an older template: the update of the set is paused'],
  },
  {
    matter: 'Nothing is replaced under OnDelete',
    asked: setKey,
    world: onDelete,
    says: ['0 of 2 replicas are of the template', 'OnDelete', 'when somebody deletes'],
  },
  {
    matter: 'The same, asked of a PodClique',
    asked: workerKey,
    world: onDelete,
    says: ['2 pods are of an older template: the strategy of the set is OnDelete'],
  },
  {
    matter: 'An update of a scaling group waits until a replica is ready',
    asked: groupKey,
    world: () => withoutRoom(groupedSet(1, { replicas: 3, minAvailable: 1 })),
    says: ['2 of 3 replicas are of an older template; the update goes on when replica 0 is'],
  },
  {
    matter: 'An update of a scaling group waits for its minimum',
    asked: groupKey,
    world: () =>
      after(ready(groupedSet(1, { replicas: 2, minAvailable: 2 })), (world) => {
        report(world, 'demo-0-engine-1-leader', noRoom);
        update(world);
        liveWithoutRoom(world);
      }),
    says: ['of an older template; the next one goes when at least 2 are available; 1 are'],
  },
];
