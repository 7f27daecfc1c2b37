// Follows one object for ever: lists it, watches it from there, and lists again whenever the watch
// does not tell all. A lost server or a lost object is waited for. run.ts starts it.
import type { Clock, Random } from '#actors/ports.ts';
import { at, list, textOf } from '#machines/kubernetes/json.ts';
import { failureOf, failureOfStatus, isSuccess, unreachable } from '#src/kube/errors.ts';
import * as limits from '#src/kube/limits.ts';
import type { KubeTransport, WatchEnd } from '#src/kube/transport/transport.ts';
import type { AgentLog } from './log.ts';
import { pause, pauseMs } from './pause.ts';

export interface FollowOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: AgentLog;
  /** The path of its collection. */
  readonly collection: string;
  readonly name: string;
  /** Its newest version; undefined: it is not there. */
  readonly seen: (object: unknown) => void;
}

/** Starts; the returned function stops, after which nothing is called. */
export function follow(options: FollowOptions): () => void {
  const abort = new AbortController();
  void run(options, abort.signal);
  return () => abort.abort();
}

async function run(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = options;
  let attempt = 0;
  let said = '';
  let version: string | undefined;
  while (!signal.aborted) {
    const from = clock.steady();
    const isList = version === undefined;
    const step = await (version === undefined
      ? listOnce(options, signal)
      : watchOnce(options, version, signal));
    if (signal.aborted) return;
    ({ version } = step);
    const isShort = !isList && clock.steady() - from < limits.shortWatchMs;
    if (!isList && !isShort) attempt = 0;
    if (step.problem === undefined && !isShort) {
      // A list alone proves little: where watches are refused it would make a hot loop, and lines
      // of the log without end.
      if (isList) continue;
      if (said !== '') log('info', 'the API server answers again', {});
      said = '';
      continue;
    }
    const { problem = 'the watch ended at once' } = step;
    // Once until it has changed: attempts go on for ever.
    if (problem !== said) log('warn', 'cannot follow the object', { problem });
    said = problem;
    await pause(clock, Math.max(step.pauseMs, pauseMs(++attempt, random)), signal);
  }
}

interface Step {
  /** From where to watch; undefined: to be listed. */
  readonly version: string | undefined;
  readonly problem: string | undefined;
  /** The least pause that the server asks for. */
  readonly pauseMs: number;
}

async function listOnce(
  { transport, collection, name, seen }: FollowOptions,
  signal: AbortSignal,
): Promise<Step> {
  const failed = { version: undefined };
  try {
    const path = `${collection}?${selector(name)}`;
    const response = await transport.request({ method: 'GET', path, signal });
    if (!isSuccess(response)) {
      const { message, retryAfterMs = 0 } = failureOf(response);
      return { ...failed, problem: message, pauseMs: retryAfterMs };
    }
    const version = textOf(at(response.body, 'metadata', 'resourceVersion'));
    if (version === undefined) return { ...failed, problem: 'a list without version', pauseMs: 0 };
    if (!signal.aborted) seen(list(at(response.body, 'items'))[0]);
    return { version, problem: undefined, pauseMs: 0 };
  } catch (error) {
    return { ...failed, problem: unreachable(error).message, pauseMs: 0 };
  }
}

/** Resolves when it is over; `version` is then that of the last event. */
function watchOnce(options: FollowOptions, from: string, signal: AbortSignal): Promise<Step> {
  const { transport, clock, random, collection, name, seen } = options;
  const { least, most } = limits.watchTimeoutSeconds;
  const seconds = Math.round(least + random.next() * (most - least));
  const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${seconds}`;
  const path = `${collection}?${selector(name)}&${query}&resourceVersion=${from}`;
  return new Promise((resolve) => {
    let version = from;
    let close = (): void => {};
    const end = (problem: string | undefined, isUsable: boolean, pause = 0): void => {
      cancel();
      signal.removeEventListener('abort', stop);
      close();
      const next = isUsable ? version : undefined;
      resolve({ version: next, problem, pauseMs: pause });
    };
    const stop = (): void => end(undefined, false);
    // The server ends a watch in time; one that goes on in silence is half open.
    const cancel = clock.at(clock.now() + seconds * 1_000 + limits.watchMarginMs, () =>
      end('the watch fell silent', false),
    );
    const closed = (reason: WatchEnd): void => {
      if (reason.kind === 'refused') {
        const { message, retryAfterMs } = failureOf(reason.response);
        return end(message, false, retryAfterMs);
      }
      const broken = reason.kind === 'ended' ? reason.error : undefined;
      end(broken === undefined ? undefined : unreachable(broken).message, true);
    };
    close = transport.watch(path, {
      event: ({ type, object }) => {
        if (signal.aborted) return;
        if (type === 'ERROR') return end(failureOfStatus(object).message, false);
        version = textOf(at(object, 'metadata', 'resourceVersion')) ?? version;
        if (type === 'ADDED' || type === 'MODIFIED') seen(object);
        else if (type === 'DELETED') seen(undefined);
      },
      closed,
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

const selector = (name: string): string =>
  `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
