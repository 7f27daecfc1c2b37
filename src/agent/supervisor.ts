// Keeps IMEX as decide.ts says: one process, told of the newest map only. What was handed over
// before and not used yet is forgotten. run.ts hands over the plans.
import type { Clock } from '#actors/ports.ts';
import type { ChildProcess, Spawn } from './child.ts';
import { decide, identifiedIn } from './decide.ts';
import type { Action, Child } from './decide.ts';
import type { Plan } from './desired.ts';
import type { AgentLog } from './log.ts';

export interface SupervisorPorts {
  readonly clock: Clock;
  readonly log: AgentLog;
  readonly spawn: Spawn;
  /** Takes the lines of IMEX. */
  readonly output: (line: string) => void;
  /** Writes the files of a plan, where they differ; throws where it cannot. */
  readonly write: (plan: Plan) => void;
  readonly hasNames: boolean;
}

/** IMEX that does not end by then is killed. Pods have 30 s in all. */
export const endMs = 10_000;

const retryMs = 1_000;

export class Supervisor {
  readonly #ports: SupervisorPorts;
  #plan: Plan | undefined;
  #state: Child = { phase: 'stopped', endedAt: undefined, mismatches: 0 };
  #child: ChildProcess | undefined;
  #isDue = false;
  #isClosing = false;
  /** What keeps the files from being written. */
  #said = '';
  #cancelLook: (() => void) | undefined;
  #cancelKill: (() => void) | undefined;
  readonly #over = Promise.withResolvers<void>();

  constructor(ports: SupervisorPorts) {
    this.#ports = ports;
  }

  /** The newest plan replaces the one before. */
  hand(plan: Plan): void {
    this.#plan = plan;
    this.#soon();
  }

  /** Ends IMEX; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelLook?.();
    if (this.#child === undefined) return;
    if (this.#state.phase === 'running') this.#stop(this.#state.mismatches);
    await this.#over.promise;
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#ports.clock.soon(() => {
      this.#isDue = false;
      this.#act();
    });
  }

  #act(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    const plan = this.#plan;
    if (this.#isClosing || plan === undefined) return;
    const { clock, hasNames, log } = this.#ports;
    const action = decide(plan.desired, this.#state, { now: clock.steady(), hasNames });
    if (action.do === 'wait') return this.#lookIn(action.until - clock.steady());
    if (action.do === 'nothing') return;
    try {
      this.#ports.write(plan);
    } catch (error) {
      const problem = String(error);
      // Once until it has changed: attempts go on for ever.
      if (problem !== this.#said) log('error', 'cannot write the files of IMEX', { problem });
      this.#said = problem;
      return this.#lookIn(retryMs);
    }
    this.#said = '';
    this.#carryOut(action, plan);
  }

  #carryOut(action: Action, plan: Plan): void {
    const { log } = this.#ports;
    const { identity: index } = plan.desired;
    if (action.do === 'start') this.#start(plan);
    else if (this.#state.phase !== 'running') return;
    else if (action.do === 'signal') {
      log('info', 'IMEX is told of changed nodes', { index, nodes: plan.members.length });
      this.#state = { ...this.#state, knows: plan.desired };
      this.#child?.signal('SIGUSR1');
      // A restart may be due later all the same.
      this.#soon();
    } else if (action.do === 'restart') {
      log('warn', 'IMEX is restarted', { index, why: action.why });
      this.#stop(this.#state.mismatches + (action.isMismatch ? 1 : 0));
    }
  }

  #start({ desired, members }: Plan): void {
    const { clock, log, spawn } = this.#ports;
    const { mismatches } = this.#state;
    log('info', 'IMEX is started', { index: desired.identity, nodes: members.length });
    this.#state = {
      phase: 'running',
      startedAt: clock.steady(),
      knows: desired,
      identified: undefined,
      mismatches,
    };
    const child: ChildProcess = spawn({
      line: (line) => {
        this.#ports.output(line);
        // What is left of the output of one that has ended says nothing of the next.
        if (this.#child === child) this.#heard(line);
      },
      ended: (how) => this.#ended(how),
    });
    this.#child = child;
  }

  #stop(mismatches: number): void {
    const { clock, log } = this.#ports;
    const child = this.#child;
    this.#state = { phase: 'stopping', mismatches };
    child?.signal('SIGTERM');
    this.#cancelKill = clock.at(clock.now() + endMs, () => {
      log('warn', 'IMEX does not end: it is killed', { afterMs: endMs });
      child?.signal('SIGKILL');
    });
  }

  #heard(line: string): void {
    const id = identifiedIn(line);
    if (id === undefined || this.#state.phase !== 'running') return;
    const isRight = id === this.#state.knows.identity;
    const mismatches = isRight ? 0 : this.#state.mismatches;
    this.#state = { ...this.#state, identified: id, mismatches };
    this.#soon();
  }

  #ended(how: string): void {
    const { clock, log } = this.#ports;
    const { phase, mismatches } = this.#state;
    this.#cancelKill?.();
    this.#child = undefined;
    const isAsked = phase === 'stopping';
    log(isAsked ? 'info' : 'error', 'IMEX has ended', { how });
    const endedAt = isAsked ? undefined : clock.steady();
    this.#state = { phase: 'stopped', endedAt, mismatches };
    if (this.#isClosing) this.#over.resolve();
    else this.#soon();
  }

  #lookIn(ms: number): void {
    const { clock } = this.#ports;
    this.#cancelLook = clock.at(clock.now() + Math.max(0, Math.ceil(ms)), () => this.#act());
  }
}
