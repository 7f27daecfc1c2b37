// Scenarios of updates that are held: paused, or left to whoever deletes pods (spec controllers
// 5.8), and of one that another controller has begun (5.1).
import { engines, type Scenarios, workers } from './scenario.ts';

export const held: Scenarios = {
  'pause-and-go-on': {
    about: 'An update is paused and goes on where it was.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.pause(true);
      run.pass(10);
      run.pause(false);
      run.rest();
    },
  },
  'on-delete-clique': {
    about: 'OnDelete: a pod that is deleted comes back of the new template, old ones go first.',
    set: workers(1, 3),
    play: (run) => {
      run.strategy('OnDelete');
      run.template('B');
      run.pass(5);
      run.delete('demo-0-worker-1');
      run.rest();
      run.scale('PodClique', 'demo-0-worker', 2);
      run.rest();
      run.delete('demo-0-worker-0');
      run.rest();
    },
  },
  'on-delete-group': {
    about: 'OnDelete in a group: members stay, and pods that are deleted are of the new template.',
    set: engines(1, 2),
    play: (run) => {
      run.strategy('OnDelete');
      run.template('B', 'hand');
      run.pass(5);
      run.delete('demo-0-engine-1-hand-0');
      run.rest();
      run.scale('PodCliqueScalingGroup', 'demo-0-engine', 3);
      run.rest();
    },
  },
  'on-delete-in-update': {
    about: 'The strategy becomes OnDelete during an update: it is over, and people delete pods.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.strategy('OnDelete');
      run.pass(10);
      run.delete('demo-0-worker-1');
      run.pass(5);
      run.delete('demo-1-worker-1');
      run.rest();
    },
  },
  'take-over-in-update': {
    about: 'Grove was half way through an update: it goes on from the pod that it had chosen.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(3);
      run.takeOverFromGrove();
      run.rest();
    },
  },
};
