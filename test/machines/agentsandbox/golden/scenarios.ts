// The worst hard cases of spec agent-sandbox 7, each as a scenario: those in which two writers want
// the same object, or in which nobody knows whether a write was done. Run by golden.test.ts.
import type { Run } from './run.ts';
import type { SandboxRun } from './sandbox-run.ts';

interface Scenario<R> {
  /** The first line of its text. */
  readonly about: string;
  readonly play: (run: R) => void;
}

interface PoolScenario extends Scenario<Run> {
  /** Members of the pool, in the beginning and in the end. */
  readonly replicas: number;
  readonly strategy?: 'Recreate';
}

/** Of claims and pools (7.1, 7.2), by the name of the file. */
export const scenarios: Readonly<Record<string, PoolScenario>> = {
  'claims-for-the-last-members': {
    about: 'Three claims come for two members while somebody edits them (R1, R3, C4).',
    replicas: 2,
    play: (run) => {
      const names = ['claim-1', 'claim-2', 'claim-3'];
      for (const name of names) run.claim(name);
      for (const name of names) run.label(name);
      run.rest();
    },
  },
  'killed-while-claims-are-served': {
    about: 'The controller is killed between an assignment and a take-over (R2, R5, R25).',
    replicas: 3,
    play: (run) => {
      run.claim('claim-1');
      run.claim('claim-2');
      run.restart();
      run.rest();
    },
  },
  'assigned-and-gone': {
    about: 'A Sandbox is deleted between its assignment and its take-over (R2, R4).',
    replicas: 2,
    play: (run) => {
      run.deleteAssigned();
      run.claim('claim-1');
      run.claim('claim-2');
      run.rest();
    },
  },
  'claim-in-a-roll-out': {
    about: 'A claim comes while all members become outdated, under Recreate (R10, G7).',
    replicas: 3,
    strategy: 'Recreate',
    play: (run) => {
      run.image('two');
      run.claim('claim-1');
      run.rest();
    },
  },
  'lost-replies-of-a-refill': {
    about: 'Replies to creates are lost, and fewer members are wanted meanwhile (R34, R35, R48).',
    replicas: 2,
    play: (run) => {
      run.scale(6);
      run.loseReplies(3);
      run.restart();
      run.pass(1);
      run.scale(2);
      run.rest();
    },
  },
  'expired-while-it-is-served': {
    about:
      'Claims expire at the time at which they are served, and are kept or not (R31, R32, R33).',
    replicas: 2,
    play: (run) => {
      run.expiring('keeps', 1_000, 'Retain');
      run.expiring('goes', 1_000, 'DeleteForeground');
      run.pass(1);
      run.restart();
      run.rest();
    },
  },
};

/** Of a Sandbox (7.3). */
export const sandboxScenarios: Readonly<Record<string, Scenario<SandboxRun>>> = {
  'resumed-while-its-pod-goes': {
    about: 'A Sandbox is resumed while its pod goes, and never has two (R49, R51, R54, R55).',
    play: (run) => {
      run.suspend();
      run.restart();
      run.pass(1);
      run.resume();
      run.loseReplies(1);
      run.restart();
      run.rest();
    },
  },
};
