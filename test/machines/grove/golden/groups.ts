// Scenarios of updates of scaling groups, replica by replica (spec controllers 5.5, 5.6, 10.3).
import { engines, type Scenarios } from './scenario.ts';

export const groups: Scenarios = {
  'group-one-member': {
    about: 'One PodClique of a group changes: its replicas are made anew, the lowest first.',
    set: engines(1, 3),
    play: (run) => {
      run.template('B', 'hand');
      run.rest();
    },
  },
  'group-and-clique': {
    about: 'All templates change in two replicas of the set: clique and group at the same time.',
    set: engines(2, 2),
    play: (run) => {
      run.template('B');
      run.rest();
    },
  },
  'group-unready-first': {
    about: 'Replica 2 of a group is not ready: it goes at once, with the first that is ready.',
    set: engines(1, 3),
    play: (run) => {
      run.sicken('demo-0-engine-2-leader-0');
      run.pass(5);
      run.template('B', 'hand');
      run.rest();
    },
  },
  'group-without-room': {
    about: 'There is no room: one replica of the group goes and waits, and no other one.',
    set: engines(1, 3),
    play: (run) => {
      run.cordon(true);
      run.template('B', 'hand');
      run.pass(20);
      run.cordon(false);
      run.rest();
    },
  },
  'group-scaled-out': {
    about: 'A group is scaled out during its update: the new replica is not replaced again.',
    set: engines(1, 2),
    play: (run) => {
      run.template('B', 'hand');
      run.pass(1);
      run.scale('PodCliqueScalingGroup', 'demo-0-engine', 3);
      run.rest();
    },
  },
  'group-scaled-in': {
    about: 'A group is scaled in during its update, below the replica that is under way.',
    set: engines(1, 3),
    play: (run) => {
      run.template('B', 'hand');
      run.pass(3);
      run.scale('PodCliqueScalingGroup', 'demo-0-engine', 1);
      run.rest();
    },
  },
  'group-changed-again': {
    about: 'Another template comes during the update of a group.',
    set: engines(1, 3),
    play: (run) => {
      run.template('B', 'hand');
      run.pass(3);
      run.template('C', 'hand');
      run.rest();
    },
  },
  'group-changed-back': {
    about: 'The template is changed back during the update of a group: replica 2 is left alone.',
    set: engines(1, 3),
    play: (run) => {
      run.template('B', 'hand');
      run.pass(3);
      run.template('A', 'hand');
      run.rest();
    },
  },
  'group-restarts': {
    about: 'The controller is killed again and again during the update of a group.',
    set: engines(1, 2),
    play: (run) => {
      run.template('B', 'hand');
      for (let time = 0; time < 4; time++) {
        run.restart();
        run.pass(time + 1);
      }
      run.rest();
    },
  },
};
