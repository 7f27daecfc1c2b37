// Profiles of the running process, for whoever wants to know where its time or memory goes: in
// pprof's form, or as V8 writes them. Served on an address of its own, by default on loopback
// alone; one at a time.
import { Session } from 'node:inspector/promises';
import type { Clock } from '#actors/ports.ts';
import { cpuToPprof, type HeapProfile, heapToPprof } from './pprof.ts';
import { type Handler, json, type Reply, type Routes, text } from './server.ts';

const bounds = { least: 1, most: 300, usual: 30 };

/** Of a sample: V8's own defaults, named since pprof is told them. */
const intervals = { cpuUs: 1_000, heapBytes: 32_768 };

const index = `profiles of this process, for "go tool pprof" and all that reads its form:
  /debug/pprof/profile?seconds=30  where CPU time went
  /debug/pprof/heap?seconds=30     what was allocated meanwhile and is still in use
with &format=v8 to be opened in the developer tools of a browser (.cpuprofile, .heapprofile)
`;

const formats = ['pprof', 'v8'] as const;

interface Wanted {
  readonly ms: number;
  readonly format: (typeof formats)[number];
}

/** Paths as Go's profiler has them, so that habits keep working. */
export function profilingRoutes(clock: Clock): Routes {
  const guarded = oneAtATime();
  return {
    '/debug/pprof/': () => text(200, index),
    '/debug/pprof/profile': guarded((wanted) => cpuProfile(clock, wanted)),
    '/debug/pprof/heap': guarded((wanted) => heapProfile(clock, wanted)),
  };
}

/** Refuses while a request to any of the handlers that it guards is under way. */
function oneAtATime(): (take: (wanted: Wanted) => Promise<Reply>) => Handler {
  let isBusy = false;
  return (take) => async (query) => {
    const wanted = wantedOf(query);
    if (typeof wanted === 'string') return text(400, wanted);
    if (isBusy) return text(409, 'a profile is being taken; ask again when it is done');
    isBusy = true;
    try {
      return await take(wanted);
    } finally {
      isBusy = false;
    }
  };
}

/** A sentence where the query is wrong. */
function wantedOf(query: URLSearchParams): Wanted | string {
  const unknown = [...query.keys()].find((name) => name !== 'seconds' && name !== 'format');
  if (unknown !== undefined) {
    return `"${unknown.slice(0, 20)}" is not known here; there is seconds and format`;
  }
  const given = query.get('seconds') ?? String(bounds.usual);
  const seconds = Number(given);
  if (!Number.isInteger(seconds) || seconds < bounds.least || seconds > bounds.most) {
    const right = `a whole number from ${bounds.least} to ${bounds.most}`;
    return `seconds "${given.slice(0, 20)}" is wrong, it must be ${right}`;
  }
  const named = query.get('format') ?? 'pprof';
  const format = formats.find((known) => known === named);
  if (format === undefined) {
    return `format "${named.slice(0, 20)}" is wrong, it must be one of ${formats.join(', ')}`;
  }
  return { ms: seconds * 1_000, format };
}

const cpuProfile = (clock: Clock, { ms, format }: Wanted): Promise<Reply> =>
  inSession(async (session) => {
    const interval = intervals.cpuUs;
    const begunMs = clock.now();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval });
    await session.post('Profiler.start');
    await pause(clock, ms);
    const { profile } = await session.post('Profiler.stop');
    return format === 'v8'
      ? json(200, profile)
      : zipped(await cpuToPprof(profile, { begunMs, interval }));
  });

const heapProfile = (clock: Clock, { ms, format }: Wanted): Promise<Reply> =>
  inSession(async (session) => {
    const interval = intervals.heapBytes;
    const begunMs = clock.now();
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling', { samplingInterval: interval });
    await pause(clock, ms);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    // The types of Node lack what the protocol has.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const taken = profile as unknown as HeapProfile;
    return format === 'v8'
      ? json(200, profile)
      : zipped(await heapToPprof(taken, { begunMs, tookMs: ms, interval }));
  });

/** As Go sends it: the compression is part of the form, not of the way. */
const zipped = (body: Buffer): Reply => ({ status: 200, type: 'application/octet-stream', body });

async function inSession(take: (session: Session) => Promise<Reply>): Promise<Reply> {
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
