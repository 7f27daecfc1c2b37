// What the containers of a pod are doing at a moment, from when the pod came to its node and its
// script. Pure: the node agent asks at every change and at `nextAt`, and keeps no state of its own.
import { backoff } from '#machines/contract/backoff.ts';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { ContainerScript, PodScript } from './script.ts';

export type ContainerState =
  | { readonly is: 'waiting'; readonly reason: string }
  | { readonly is: 'running'; readonly since: number }
  | { readonly is: 'ended'; readonly since: number; readonly at: number; readonly code: number };

export interface ContainerView {
  readonly container: JsonObject;
  readonly state: ContainerState;
  /** How the run before ended. */
  readonly last: { readonly since: number; readonly at: number; readonly code: number } | undefined;
  readonly restarts: number;
  readonly ready: boolean;
  /** When this view ends; Infinity: not by itself. */
  readonly nextAt: number;
}

export interface PodView {
  readonly init: readonly ContainerView[];
  readonly containers: readonly ContainerView[];
  readonly initialized: boolean;
  readonly nextAt: number;
}

/** Before a container is started again. */
export const restartBackOff = { firstMs: 10_000, longestMs: 300_000 } as const;

/**
 * When an init container that waits for something is done: `at` undefined is not known yet. Nothing
 * for a container that does not wait. `isRunning`: its turn has come.
 */
export type InitEnd = (
  container: JsonObject,
  isRunning: boolean,
) => { readonly at: number | undefined } | undefined;

export function podView(
  pod: Stored,
  script: PodScript,
  boundAt: number,
  now: number,
  initEnd: InitEnd,
): PodView {
  const spec = objectAt(pod, 'spec');
  const policy = textAt(spec, 'restartPolicy') || 'Always';
  const init: ContainerView[] = [];
  let start = boundAt + script.startMs;
  for (const container of objectsAt(spec, 'initContainers')) {
    const view = initView(container, script, policy, start, now, initEnd);
    init.push(view);
    if (view.state.is === 'ended' && view.state.code === 0) start = view.state.at;
    else if (!isSidecar(container) || view.state.is !== 'running') start = Infinity;
  }
  const containers = objectsAt(spec, 'containers').map((container) => {
    const run = script.container(textAt(container, 'name'));
    const reason = init.length > 0 && now < start ? 'PodInitializing' : 'ContainerCreating';
    const view = runView(container, run, start, now, reason, (code) => restarts(policy, code));
    return withReadiness(view, script, now);
  });
  return {
    init,
    containers,
    initialized: now >= start || (init.length === 0 && Number.isFinite(start)),
    nextAt: Math.min(...[...init, ...containers].map((view) => view.nextAt)),
  };
}

const isSidecar = (container: JsonObject): boolean =>
  textAt(container, 'restartPolicy') === 'Always';

/** Whether a container that ended with that code starts again, by the policy of its pod. */
export const restarts = (policy: string, code: number): boolean =>
  policy === 'Always' || (policy === 'OnFailure' && code !== 0);

function initView(
  container: JsonObject,
  script: PodScript,
  policy: string,
  start: number,
  now: number,
  initEnd: InitEnd,
): ContainerView {
  const name = textAt(container, 'name');
  const waits = initEnd(container, now >= start);
  let run: ContainerScript = script.initContainer(name);
  if (isSidecar(container)) run = { runForMs: Infinity, exitCode: 0 };
  else if (waits !== undefined) {
    const ends = Math.max(waits.at ?? Infinity, start);
    run = { runForMs: Number.isFinite(start) ? ends - start : 0, exitCode: 0 };
  }
  const again = (code: number): boolean =>
    isSidecar(container) || (code !== 0 && policy !== 'Never');
  const view = runView(container, run, start, now, 'PodInitializing', again);
  const done = view.state.is === 'ended' && view.state.code === 0;
  return { ...view, ready: done || (isSidecar(container) && view.state.is === 'running') };
}

/** Walks through the runs of a container, restart by restart, until the moment is reached. */
function runView(
  container: JsonObject,
  run: ContainerScript,
  start: number,
  now: number,
  waitingFor: string,
  again: (code: number) => boolean,
): ContainerView {
  const code = run.exitCode;
  let since = start;
  let last: ContainerView['last'];
  for (let restart = 0; ; restart++) {
    const base = { container, last, restarts: restart, ready: false };
    if (now < since) {
      const reason = restart === 0 ? waitingFor : 'CrashLoopBackOff';
      return {
        ...base,
        restarts: Math.max(restart - 1, 0),
        state: { is: 'waiting', reason },
        nextAt: since,
      };
    }
    const at = since + run.runForMs;
    if (now < at) return { ...base, state: { is: 'running', since }, nextAt: at };
    if (!again(code)) {
      return { ...base, state: { is: 'ended', since, at, code }, nextAt: Infinity };
    }
    last = { since, at, code };
    since = at + backoff(restart + 1, restartBackOff.firstMs, restartBackOff.longestMs);
  }
}

function withReadiness(view: ContainerView, script: PodScript, now: number): ContainerView {
  if (view.state.is !== 'running') return view;
  const readyAt = view.state.since + script.readyMs;
  if (now >= readyAt) return { ...view, ready: script.isReady };
  return { ...view, nextAt: Math.min(view.nextAt, readyAt) };
}
