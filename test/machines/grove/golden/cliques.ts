// Scenarios of updates of standalone PodCliques, pod by pod and replica by replica (spec
// controllers 5.4, 5.7, 10.3).
import { routed, type Scenarios, workers } from './scenario.ts';

export const cliques: Scenarios = {
  'clique-of-two-replicas': {
    about: 'One PodClique, in two replicas of the set: pod by pod, replica 0 before replica 1.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.rest();
    },
  },
  'clique-beside-another': {
    about: 'One of two PodCliques changes: the other one is left alone.',
    set: routed(2),
    play: (run) => {
      run.template('B', 'router');
      run.rest();
    },
  },
  'cliques-several-at-once': {
    about: 'Two PodCliques change at once: one pod of each goes at a time.',
    set: routed(2),
    play: (run) => {
      run.template('B');
      run.rest();
    },
  },
  'clique-without-room': {
    about: 'There is no room: one pod is replaced and waits, and no other one is touched.',
    set: workers(2),
    play: (run) => {
      run.cordon(true);
      run.template('B');
      run.pass(20);
      run.cordon(false);
      run.rest();
    },
  },
  'clique-never-ready': {
    about: 'Pods of the new template never become ready: the old ones that are ready stay.',
    set: workers(2, 3, 2),
    play: (run) => {
      run.broken.add('B');
      run.template('B');
      run.pass(30);
      run.template('C');
      run.rest();
    },
  },
  'clique-unready-first': {
    about: 'Two of four old pods are not ready: they go at once, with the first that is ready.',
    set: workers(1, 4),
    play: (run) => {
      run.sicken('demo-0-worker-2');
      run.sicken('demo-0-worker-3');
      run.pass(5);
      run.template('B');
      run.rest();
    },
  },
  'clique-unscheduled-replica-first': {
    about: 'No pod of replica 1 has a place: it is updated before replica 0.',
    set: workers(2),
    play: (run) => {
      run.cordon(true);
      run.delete('demo-1-worker-0');
      run.delete('demo-1-worker-1');
      run.pass(3);
      run.template('B');
      run.pass(10);
      run.cordon(false);
      run.rest();
    },
  },
  'clique-changed-again': {
    about: 'Another template comes during an update: it begins anew, towards the newest one.',
    set: workers(3),
    play: (run) => {
      run.template('B');
      run.pass(3);
      run.template('C');
      run.rest();
    },
  },
  'clique-changed-back': {
    about: 'The template is changed back during an update: what was replaced is replaced again.',
    set: workers(3),
    play: (run) => {
      run.template('B');
      run.pass(3);
      run.template('A');
      run.rest();
    },
  },
  'clique-changed-six-times': {
    about: 'Six templates in twenty seconds, the last one differs from the first for one clique.',
    set: routed(2),
    play: (run) => {
      for (const letter of ['B', 'C', 'D', 'E', 'F']) {
        run.template(letter, 'worker');
        run.pass(3);
      }
      run.template('G', 'worker');
      run.rest();
    },
  },
  'clique-restarts': {
    about: 'The controller is killed again and again: no second pod goes for that.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      for (let time = 0; time < 4; time++) {
        run.restart();
        run.pass(time + 1);
      }
      run.rest();
    },
  },
};
