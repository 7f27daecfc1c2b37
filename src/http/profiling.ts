// Profiles of the running process, for whoever wants to know where its time or memory goes: V8's
// own, to be opened in the developer tools of a browser. Served on an address of its own, by
// default on loopback alone; one at a time.
import { Session } from 'node:inspector/promises';
import type { Clock } from '#actors/ports.ts';
import { type Handler, type Reply, type Routes, text } from './server.ts';

const bounds = { least: 1, most: 300, usual: 30 };

const index = `profiles of this process, to be opened in the developer tools of a browser:
  /debug/pprof/profile?seconds=30  where CPU time went (.cpuprofile)
  /debug/pprof/heap?seconds=30     what allocated memory (.heapprofile)
`;

/** Paths as Go's profiler has them, so that habits keep working. */
export function profilingRoutes(clock: Clock): Routes {
  const guarded = oneAtATime();
  return {
    '/debug/pprof/': () => text(200, index),
    '/debug/pprof/profile': guarded((query) => timed(query, (ms) => cpuProfile(clock, ms))),
    '/debug/pprof/heap': guarded((query) => timed(query, (ms) => heapProfile(clock, ms))),
  };
}

/** Refuses while a request to any of the handlers that it guards is under way. */
function oneAtATime(): (handler: Handler) => Handler {
  let isBusy = false;
  return (handler) => async (query, path) => {
    if (isBusy) return text(409, 'a profile is being taken; ask again when it is done');
    isBusy = true;
    try {
      return await handler(query, path);
    } finally {
      isBusy = false;
    }
  };
}

async function timed(
  query: URLSearchParams,
  take: (ms: number) => Promise<unknown>,
): Promise<Reply> {
  const given = query.get('seconds') ?? String(bounds.usual);
  const seconds = Number(given);
  if (!Number.isInteger(seconds) || seconds < bounds.least || seconds > bounds.most) {
    const right = `a whole number from ${bounds.least} to ${bounds.most}`;
    return text(400, `seconds "${given.slice(0, 20)}" is wrong, it must be ${right}`);
  }
  const profile = await take(seconds * 1_000);
  return { status: 200, type: 'application/json', body: JSON.stringify(profile) };
}

const cpuProfile = (clock: Clock, ms: number): Promise<unknown> =>
  inSession(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await pause(clock, ms);
    return (await session.post('Profiler.stop')).profile;
  });

const heapProfile = (clock: Clock, ms: number): Promise<unknown> =>
  inSession(async (session) => {
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling');
    await pause(clock, ms);
    return (await session.post('HeapProfiler.stopSampling')).profile;
  });

async function inSession(take: (session: Session) => Promise<unknown>): Promise<unknown> {
  const session = new Session();
  session.connect();
  try {
    return await take(session);
  } finally {
    session.disconnect();
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.at(clock.now() + ms, resolve);
  });
