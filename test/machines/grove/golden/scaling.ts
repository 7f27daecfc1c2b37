// Scenarios of scaling, during updates and without (spec controllers 7.2, 7.3, 10.3).
import { engines, routed, type Scenarios, workers } from './scenario.ts';

export const scaling: Scenarios = {
  'scale-out-set-in-update': {
    about: 'The set is scaled out during an update: the new replica is born with the template.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.scale('PodCliqueSet', 'demo', 3);
      run.rest();
    },
  },
  'scale-in-replica-in-update': {
    about: 'The replica that is being updated is scaled in: the update goes on with the others.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(5);
      run.scale('PodCliqueSet', 'demo', 1);
      run.rest();
    },
  },
  'scale-out-clique-in-update': {
    about: 'A PodClique is scaled out during its update: new pods are not replaced again.',
    set: workers(1),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.scale('PodClique', 'demo-0-worker', 4);
      run.rest();
    },
  },
  'scale-in-clique-in-update': {
    about: 'A PodClique is scaled in during its update: old pods go first, and it ends.',
    set: workers(1, 4),
    play: (run) => {
      run.template('B');
      run.pass(3);
      run.scale('PodClique', 'demo-0-worker', 2);
      run.rest();
    },
  },
  'scale-to-zero-and-back': {
    about: 'The set is scaled to 0 and back.',
    set: engines(1, 2),
    play: (run) => {
      run.scale('PodCliqueSet', 'demo', 0);
      run.rest();
      run.scale('PodCliqueSet', 'demo', 1);
      run.rest();
    },
  },
  'scale-six-times': {
    about: 'Six numbers of replicas in twenty seconds: what was there at both ends stays.',
    set: routed(1),
    play: (run) => {
      for (const replicas of [3, 1, 2, 4, 2]) {
        run.scale('PodClique', 'demo-0-worker', replicas);
        run.pass(4);
      }
      run.scale('PodClique', 'demo-0-worker', 2);
      run.rest();
    },
  },
};
