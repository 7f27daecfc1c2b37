// IMEX as the agent keeps it: the newest map alone, files before signals, and its end.
import { describe, expect, it } from 'vitest';
import type { ChildEvents } from '#src/agent/child.ts';
import type { Plan } from '#src/agent/desired.ts';
import { endMs, Supervisor } from '#src/agent/supervisor.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const plan = (map: string, identity = 0): Plan => ({
  desired: { identity, map },
  members: [],
  nodes: '',
});

function begin() {
  const clock = new VirtualClock();
  const log: string[] = [];
  let child: ChildEvents | undefined;
  const failures: string[] = [];
  const supervisor = new Supervisor({
    clock,
    log: () => {},
    spawn: (events) => {
      log.push('start');
      child = events;
      return { signal: (name) => void log.push(name) };
    },
    output: () => {},
    write: ({ desired }) => {
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
      log.push(`write ${desired.map}`);
    },
    hasNames: true,
  });
  const says = (line: string): void => child?.line(line);
  const ends = (): void => child?.ended('code 0');
  return { clock, log, failures, supervisor, says, ends };
}

describe('the supervisor of IMEX', () => {
  it('writes the files first, and uses the newest of many plans alone (Q-13)', async () => {
    const { clock, log, supervisor, says } = begin();
    for (let index = 0; index < 100; index++) supervisor.hand(plan(`m${index}`));
    await clock.drain();
    expect(log).toEqual(['write m99', 'start']);
    says('Identified this node as ID 0');
    for (let index = 0; index < 100; index++) supervisor.hand(plan(`n${index}`));
    await clock.drain();
    expect(log.slice(2)).toEqual(['write n99', 'SIGUSR1']);
  });

  it('starts the next one only when the last has ended (#654), and kills a deaf one', async () => {
    const { clock, log, supervisor, ends } = begin();
    supervisor.hand(plan('m'));
    await clock.drain();
    supervisor.hand(plan('m', 1));
    await clock.advance(endMs - 1);
    expect(log).toEqual(['write m', 'start', 'write m', 'SIGTERM']);
    await clock.advance(1);
    expect(log.at(-1)).toBe('SIGKILL');
    ends();
    await clock.drain();
    expect(log.slice(-2)).toEqual(['write m', 'start']);
  });

  it('at its end waits for IMEX, however long that takes (Q-14)', async () => {
    const { clock, log, supervisor, ends } = begin();
    supervisor.hand(plan('m'));
    await clock.drain();
    let isClosed = false;
    void supervisor.close().then(() => (isClosed = true));
    supervisor.hand(plan('late', 3));
    await clock.advance(endMs + 5_000);
    expect(log).toEqual(['write m', 'start', 'SIGTERM', 'SIGKILL']);
    expect(isClosed).toBe(false);
    ends();
    await clock.drain();
    expect(isClosed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('ends at once where nothing runs, as nothing does before there is a plan', async () => {
    const { clock, log, supervisor } = begin();
    await clock.advance(60_000);
    expect(log).toEqual([]);
    await supervisor.close();
    expect(clock.pending).toBe(0);
  });

  it('tries again where a file cannot be written, and starts nothing before', async () => {
    const { clock, log, failures, supervisor } = begin();
    failures.push('read-only', 'read-only');
    supervisor.hand(plan('m'));
    await clock.drain();
    expect(log).toEqual([]);
    await clock.advance(2_000);
    expect(log).toEqual(['write m', 'start']);
  });

  it('tells of changed peers while a restart for a wrong number waits, and keeps the wait', async () => {
    const { clock, log, supervisor, says, ends } = begin();
    supervisor.hand(plan('m'));
    await clock.drain();
    // The first restart is at once, the next one a second after its start.
    says('Identified this node as ID 7');
    await clock.drain();
    ends();
    await clock.drain();
    says('Identified this node as ID 7');
    await clock.advance(500);
    expect(log.splice(0)).toEqual(['write m', 'start', 'write m', 'SIGTERM', 'write m', 'start']);
    supervisor.hand(plan('n'));
    await clock.drain();
    expect(log).toEqual(['write n', 'SIGUSR1']);
    await clock.advance(499);
    expect(log).toHaveLength(2);
    await clock.advance(1);
    expect(log.slice(2)).toEqual(['write n', 'SIGTERM']);
  });

  it('hears nothing of an IMEX that has ended', async () => {
    const { clock, log, supervisor, says, ends } = begin();
    supervisor.hand(plan('m'));
    await clock.drain();
    ends();
    says('Identified this node as ID 7');
    await clock.advance(1_000);
    expect(log).toEqual(['write m', 'start', 'write m', 'start']);
    await clock.advance(120_000);
    expect(log).toHaveLength(4);
  });
});
