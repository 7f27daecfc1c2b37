// Profiles of a running process: taken for real, on a virtual clock, and decoded.
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { profilingRoutes } from '#src/http/profiling.ts';
import type { Reply } from '#src/http/server.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const clock = new VirtualClock();
const routes = profilingRoutes(clock);
const ask = (path: string, query = ''): Promise<Reply> =>
  Promise.resolve(routes[path]?.(new URLSearchParams(query), path) ?? notThere);
const notThere: Reply = { status: 404, type: '', body: '' };

/** Lets time pass once the profiler has started and asked for it; works meanwhile. */
async function whole(reply: Promise<Reply>, work: () => void = () => {}): Promise<Reply> {
  while (clock.pending === 0) await clock.drain();
  work();
  await clock.advance(30_000);
  return reply;
}

const secret = `${'word '.repeat(2_000)} token=abc`;

/** Many milliseconds of work, and so many samples, on any machine. */
function redactMuch(): void {
  for (let round = 0; round < 2_000; round++) redactText(secret);
}

const kept: object[] = [];

function keepMuch(): void {
  for (let index = 0; index < 100_000; index++) kept.push({ index, list: [index, index] });
}

interface Read {
  /** Innermost first; functions as `name file`. */
  readonly samples: readonly {
    readonly stack: readonly string[];
    readonly value: readonly number[];
  }[];
  readonly types: readonly string[];
  readonly chosen: string | undefined;
  readonly period: readonly [type: string, every: number];
  readonly durationNanos: number;
}

function decode({ body }: Reply): Read {
  const profile = Profile.decode(gunzipSync(body));
  const text = (index: number | bigint): string => profile.stringTable.strings[Number(index)] ?? '';
  const typed = ({ type, unit }: Profile['sampleType'][number]) => `${text(type)}/${text(unit)}`;
  const functions = new Map(
    profile.function.map(({ id, name, filename }) => [id, `${text(name)} ${text(filename)}`]),
  );
  const places = new Map(
    profile.location.map(({ id, line }) => [id, functions.get(line[0]?.functionId ?? -1) ?? '?']),
  );
  return {
    samples: profile.sample.map(({ locationId, value }) => ({
      stack: locationId.map((id) => places.get(id) ?? '?'),
      value: value.map(Number),
    })),
    types: profile.sampleType.map(typed),
    chosen: text(profile.defaultSampleType),
    period: [
      profile.periodType === undefined ? '' : typed(profile.periodType),
      Number(profile.period),
    ],
    durationNanos: Number(profile.durationNanos),
  };
}

const total = ({ samples }: Read): number =>
  samples.reduce((sum, { value }) => sum + (value[1] ?? 0), 0);

describe('A profile', () => {
  it('of CPU time has the functions of this process, as Go would have its own', async () => {
    const reply = await whole(ask('/debug/pprof/profile', 'seconds=2'), redactMuch);
    expect(reply).toMatchObject({ status: 200, type: 'application/octet-stream' });
    const read = decode(reply);
    expect(read.types).toEqual(['samples/count', 'cpu/nanoseconds']);
    expect(read.chosen).toBe('cpu');
    expect(read.period).toEqual(['cpu/nanoseconds', 1_000_000]);
    const ours = read.samples.filter(({ stack }) =>
      stack.some((row) => row.startsWith('redactText ')),
    );
    expect(ours.length).toBeGreaterThan(0);
    for (const { stack } of ours) {
      expect(stack.find((row) => row.startsWith('redactText '))).toMatch(
        /machines\/.*secret-text\.ts$/,
      );
      const callers = stack.slice(stack.findIndex((row) => row.startsWith('redactText ')));
      expect(callers.findIndex((row) => row.startsWith('redactMuch '))).toBeGreaterThan(0);
    }
  });

  it('of CPU time leaves out idle time, and is no longer than it took', async () => {
    const read = decode(await whole(ask('/debug/pprof/profile', 'seconds=2'), redactMuch));
    expect(read.samples.flatMap(({ stack }) => stack).join()).not.toMatch(/\((idle|root)\)/);
    expect(total(read)).toBeGreaterThan(0);
    expect(total(read)).toBeLessThanOrEqual(read.durationNanos);
  });

  it('of memory has who allocated what is still in use', async () => {
    const read = decode(await whole(ask('/debug/pprof/heap', 'seconds=2'), keepMuch));
    expect(read.types).toEqual(['samples/count', 'inuse_space/bytes']);
    expect(read.chosen).toBe('inuse_space');
    expect(read.period).toEqual(['space/bytes', 32_768]);
    const ours = read.samples.filter(({ stack }) => stack[0]?.startsWith('keepMuch '));
    const bytes = ours.reduce((sum, { value }) => sum + (value[1] ?? 0), 0);
    expect(bytes).toBeGreaterThan(kept.length * 16);
  });

  it('of CPU time is as V8 writes it where that is asked for', async () => {
    const { status, body } = await whole(ask('/debug/pprof/profile', 'seconds=2&format=v8'));
    expect(status).toBe(200);
    expect(list(at(JSON.parse(String(body)), 'nodes')).length).toBeGreaterThan(0);
  });

  it('of memory too', async () => {
    const { status, body } = await whole(ask('/debug/pprof/heap', 'seconds=2&format=v8'));
    expect(status).toBe(200);
    expect(at(JSON.parse(String(body)), 'head')).toBeDefined();
  });

  it('is taken one at a time (R71)', async () => {
    const first = ask('/debug/pprof/profile');
    expect(await ask('/debug/pprof/heap')).toMatchObject({ status: 409 });
    expect(await whole(first)).toMatchObject({ status: 200 });
  });

  it.each([
    ['seconds=0', 'seconds "0" is wrong, it must be a whole number from 1 to 300'],
    ['seconds=301', 'seconds "301" is wrong, it must be a whole number from 1 to 300'],
    ['seconds=x', 'seconds "x" is wrong, it must be a whole number from 1 to 300'],
    ['seconds=', 'seconds "" is wrong, it must be a whole number from 1 to 300'],
    ['seconds=1.5', 'seconds "1.5" is wrong, it must be a whole number from 1 to 300'],
    ['format=svg', 'format "svg" is wrong, it must be one of pprof, v8'],
    ['debug=1', '"debug" is not known here; there is seconds and format'],
  ])('with %s is refused with what would be right', async (query, message) => {
    const { status, body } = await ask('/debug/pprof/profile', query);
    expect([status, body]).toEqual([400, `${message}\n`]);
  });

  it('is found from an index', async () => {
    expect((await ask('/debug/pprof/')).body).toContain('/debug/pprof/heap');
  });
});
