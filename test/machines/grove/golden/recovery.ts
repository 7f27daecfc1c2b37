// Scenarios of recovery: pods that end and nodes that are lost, gang termination in both scopes and
// what comes after it (spec controllers 4, 7.5, 10.3).
import { w1, w2 } from '#test/support/gangs.ts';
import { delayS, type Run } from './run.ts';
import { gangs, routed, type Scenarios, workers } from './scenario.ts';

/** What is deleted finds no other place, for longer than the delay. */
function starve(run: Run, ...hosts: readonly string[]): void {
  run.cordon(true);
  for (const host of hosts) run.delete(host);
  run.pass(delayS + 10);
}

export const recovery: Scenarios = {
  'pods-that-ended': {
    about: 'Pods that have failed or succeeded are replaced, in their places.',
    set: workers(1, 3),
    play: (run) => {
      run.finish('demo-0-worker-0', 'Failed');
      run.finish('demo-0-worker-2', 'Succeeded');
      run.rest();
    },
  },
  'pods-that-ended-in-update': {
    about: 'A pod fails during an update: its replacement is of the new template.',
    set: workers(1, 3),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.finish('demo-0-worker-2', 'Failed');
      run.rest();
    },
  },
  'node-lost': {
    about: 'A node is lost and there is room: its pods are replaced before they are gone.',
    set: gangs(w1),
    play: (run) => {
      run.loseNode('demo-0-a-1', 'demo-0-x-0-b-0');
      run.pass(20);
      run.forgetNode();
      run.rest();
    },
  },
  'node-lost-in-update': {
    about: 'A node is lost during an update, with a pod of the replica whose turn it is not.',
    set: workers(2),
    play: (run) => {
      run.template('B');
      run.pass(1);
      run.loseNode('demo-1-worker-1');
      run.pass(20);
      run.forgetNode();
      run.rest();
    },
  },
  'node-lost-beside-update': {
    about: 'A pod of another PodClique is stuck on a lost node: the update does not wait for it.',
    set: routed(2),
    play: (run) => {
      run.loseNode('demo-0-router-0');
      run.pass(5);
      run.template('B', 'worker');
      run.pass(20);
      run.forgetNode();
      run.rest();
    },
  },
  'terminated-set-replica': {
    about: 'A PodClique is below its minimum for the delay: its replica of the set goes, no other.',
    set: gangs(w1, 2),
    play: (run) => {
      starve(run, 'demo-1-a-0');
      run.cordon(false);
      run.rest();
    },
  },
  'terminated-group-replica': {
    about: 'A replica of a group that its group can spare is below its minimum for the delay.',
    set: gangs({ ...w2, c: 3 }),
    play: (run) => {
      starve(run, 'demo-0-x-1-c-1');
      run.cordon(false);
      run.rest();
    },
  },
  'terminated-whole-group': {
    about: 'Both replicas of a group are below their minimum: the replica of the set goes.',
    set: gangs({ ...w2, c: 3 }),
    play: (run) => {
      starve(run, 'demo-0-x-0-c-0', 'demo-0-x-1-c-1');
      run.cordon(false);
      run.rest();
    },
  },
  'terminated-once': {
    about: 'A terminated gang finds no room: it is not terminated again until it was good once.',
    set: gangs(w1),
    play: (run) => {
      starve(run, 'demo-0-a-0');
      run.pass(2 * delayS);
      run.cordon(false);
      run.rest();
      starve(run, 'demo-0-a-1');
      run.cordon(false);
      run.rest();
    },
  },
  'terminated-in-time': {
    about: 'A breach ends before the delay: nothing is terminated.',
    set: gangs(w1),
    play: (run) => {
      run.cordon(true);
      run.delete('demo-0-a-0');
      run.pass(delayS - 10);
      run.cordon(false);
      run.rest();
    },
  },
  'terminated-after-restart': {
    about: 'The controller is killed while a breach lasts: the delay does not begin anew.',
    set: gangs(w1),
    play: (run) => {
      run.cordon(true);
      run.delete('demo-0-a-0');
      run.pass(delayS / 2);
      run.restart();
      run.pass(delayS / 2 + 10);
      run.cordon(false);
      run.rest();
    },
  },
  'scaled-in-recovery': {
    about: 'A set is scaled out while a terminated replica comes back.',
    set: gangs(w2),
    play: (run) => {
      starve(run, 'demo-0-a-0', 'demo-0-a-1');
      run.scale('PodCliqueSet', 'demo', 2);
      run.scale('PodClique', 'demo-0-a', 3);
      run.pass(5);
      run.cordon(false);
      run.rest();
    },
  },
};
