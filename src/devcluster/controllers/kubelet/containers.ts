// Containers that a plug-in runs for real: started when their turn comes, shown in the status as
// they are, started again after a growing pause, and stopped with their pod. Used by the kubelet
// (index.ts); pods that the runtime is not for stay as simulated.
import { backoff } from '#machines/contract/backoff.ts';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { ContainerRuntime, RunningContainer } from '../../plugins/contract.ts';
import { keyOf, uidOf } from '../client.ts';
import type { ControllerContext } from '../options.ts';
import { type ContainerView, type PodView, restartBackOff, restarts } from './timeline.ts';

/** Of one container. */
interface Run {
  state: ContainerView['state'];
  last: ContainerView['last'];
  restarts: number;
  running: RunningContainer | undefined;
  cancelRestart: () => void;
}

interface Pod {
  readonly uid: string;
  readonly runs: Map<string, Run>;
  isStopping: boolean;
}

export class Containers {
  readonly #context: ControllerContext;
  readonly #runtime: ContainerRuntime | undefined;
  readonly #wake: (key: string) => void;
  /** By key. */
  readonly #pods = new Map<string, Pod>();

  constructor(
    context: ControllerContext,
    runtime: ContainerRuntime | undefined,
    wake: (key: string) => void,
  ) {
    this.#context = context;
    this.#runtime = runtime;
    this.#wake = wake;
  }

  isFor(pod: Stored): boolean {
    return this.#runtime?.isFor(pod) === true;
  }

  /** What is simulated, with the containers as they are; starts those whose turn has come. */
  shown(pod: Stored, podIP: string, view: PodView): PodView {
    if (!this.isFor(pod)) return view;
    const containers = view.containers.map((each) => {
      if (each.state.is !== 'running') return each;
      const name = textAt(each.container, 'name');
      const runs = this.#podOf(pod).runs;
      const run = runs.get(name) ?? this.#first(pod, podIP, each.container);
      runs.set(name, run);
      return viewOf(each.container, run);
    });
    const nextAt = Math.min(...[...view.init, ...containers].map((each) => each.nextAt));
    return { ...view, containers, nextAt };
  }

  /** True until all containers of the pod have ended; they are killed at that time. */
  isStopping(pod: Stored, killAt: number): boolean {
    const known = this.#pods.get(keyOf(pod));
    if (known?.uid !== uidOf(pod)) return false;
    const isLate = this.#context.clock.now() >= killAt;
    for (const run of known.runs.values()) {
      run.cancelRestart();
      if (isLate) run.running?.kill();
      else if (!known.isStopping) run.running?.stop();
    }
    known.isStopping = true;
    return [...known.runs.values()].some(({ running }) => running !== undefined);
  }

  gone(pod: Stored): void {
    this.#kill(keyOf(pod));
  }

  stop(): void {
    for (const key of this.#pods.keys()) this.#kill(key);
  }

  #kill(key: string): void {
    const known = this.#pods.get(key);
    this.#pods.delete(key);
    for (const run of known?.runs.values() ?? []) {
      run.cancelRestart();
      run.running?.kill();
    }
  }

  #podOf(pod: Stored): Pod {
    const key = keyOf(pod);
    const known = this.#pods.get(key);
    if (known?.uid === uidOf(pod)) return known;
    this.#kill(key);
    const made: Pod = { uid: uidOf(pod), runs: new Map(), isStopping: false };
    this.#pods.set(key, made);
    return made;
  }

  #first(pod: Stored, podIP: string, container: JsonObject): Run {
    const since = this.#context.clock.now();
    const run: Run = {
      state: { is: 'running', since },
      last: undefined,
      restarts: 0,
      running: undefined,
      cancelRestart: () => {},
    };
    this.#start(pod, podIP, container, run);
    return run;
  }

  #start(pod: Stored, podIP: string, container: JsonObject, run: Run): void {
    const { clock, log } = this.#context;
    const since = clock.now();
    run.state = { is: 'running', since };
    const wake = (): void => {
      if (this.#pods.get(keyOf(pod))?.uid === uidOf(pod)) this.#wake(keyOf(pod));
    };
    run.running = this.#runtime?.start({
      ...{ pod, container, podIP, clock, log, changed: wake },
      ended: (code) => {
        run.running = undefined;
        const known = this.#pods.get(keyOf(pod));
        if (known?.uid !== uidOf(pod)) return;
        const over = { since, at: clock.now(), code };
        run.state = { is: 'ended', ...over };
        const policy = textAt(objectAt(pod, 'spec'), 'restartPolicy') || 'Always';
        if (restarts(policy, code) && !known.isStopping) {
          run.last = over;
          run.state = { is: 'waiting', reason: 'CrashLoopBackOff' };
          this.#startLater(pod, podIP, container, run);
        }
        wake();
      },
    });
  }

  #startLater(pod: Stored, podIP: string, container: JsonObject, run: Run): void {
    const { clock } = this.#context;
    const { firstMs, longestMs } = restartBackOff;
    run.cancelRestart = clock.at(
      clock.now() + backoff(run.restarts + 1, firstMs, longestMs),
      () => {
        run.restarts += 1;
        this.#start(pod, podIP, container, run);
        this.#wake(keyOf(pod));
      },
    );
  }
}

/** What ends it calls for a look by itself. */
const viewOf = (container: JsonObject, run: Run): ContainerView => ({
  container,
  state: run.state,
  last: run.last,
  restarts: run.restarts,
  ready: run.state.is === 'running' && run.running?.isReady === true,
  nextAt: Infinity,
});
