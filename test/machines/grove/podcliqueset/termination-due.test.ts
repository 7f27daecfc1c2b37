// What a set says of a termination before it happens, in the writes that happen anyway.
import { describe, expect, it } from 'vitest';
import { condition, delayMs, kill, ready, told, w1, w2, workload } from '#test/support/gangs.ts';
import { demoSet } from '#test/support/samples.ts';
import { setKey } from '../../stuck/situation.ts';
import type { World } from '#test/support/world.ts';

const readyOf = (world: World) => condition(world, 'PodCliqueSet', 'demo', 'Ready');
const due = (index: number, at: string, what: string) => ({
  status: 'False',
  reason: 'TerminationDue',
  message: `replica ${index} is terminated at ${at}, unless ${what} has its minimum by then`,
});

/** Statuses of the set that this writes. */
function statuses(world: World, act: () => void): number {
  const since = world.writes.length;
  act();
  const isOwn = ({ op, ref }: World['writes'][number]): boolean =>
    op === 'status' && ref.kind === 'PodCliqueSet';
  return world.writes.slice(since).filter(isOwn).length;
}

describe('A set with a replica in breach', () => {
  it('says when it is terminated and for what, in the write that tells it is not available', () => {
    const world = ready(workload(w1));
    expect(statuses(world, () => kill(world, 'demo-0-a'))).toBe(1);
    const first = due(0, '2026-01-01T00:11:00Z', 'PodClique demo-0-a');
    expect(readyOf(world)).toMatchObject(first);
    expect(told(world)).toEqual([expect.stringContaining('is terminated in 10m0s, at 2026-')]);
    // Neither the next pod nor the time that passes nor a restart is worth a write.
    const later = () => {
      kill(world, 'demo-0-a');
      world.pass(60_000);
      kill(world, 'demo-0-x-0-c');
      world.restart();
      world.pass(60_000);
    };
    expect(statuses(world, later)).toBe(0);
    expect(readyOf(world)).toMatchObject(first);
    expect(told(world)).toHaveLength(1);
  });

  it('writes nothing for the termination itself, and is Ready when all is there again', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    expect(statuses(world, () => world.pass(delayMs))).toBe(0);
    expect(world.why(setKey)[0]).toContain('replica 0 was terminated and recovers');
    expect(statuses(world, () => world.converge())).toBe(1);
    expect(readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('says nothing of it any more in the next write that something else causes', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    world.pass(delayMs);
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.stabilize();
    expect(readyOf(world)).toMatchObject({
      reason: 'ReplicasUnavailable',
      message: '0 of 2 replicas are available',
    });
  });

  it('says so no more once it has recovered', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    // The breach ends when its pods start.
    expect(statuses(world, () => world.converge())).toBe(1);
    expect(readyOf(world)).toMatchObject({ status: 'True', reason: 'ReplicasReady' });
  });

  it('names the one that is terminated first', () => {
    const world = ready(workload(w1, 2));
    kill(world, 'demo-1-a');
    world.pass(60_000);
    kill(world, 'demo-0-a');
    expect(readyOf(world)).toMatchObject(due(1, '2026-01-01T00:11:00Z', 'PodClique demo-1-a'));
    world.pass(delayMs - 60_000);
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/force-delete-after': 'x' } } });
    world.stabilize();
    world.edit(demoSet, { metadata: { annotations: null } });
    world.stabilize();
    expect(readyOf(world)).toMatchObject(due(0, '2026-01-01T00:12:00Z', 'PodClique demo-0-a'));
  });

  it('names a scaling group that is below its minimum as such', () => {
    const world = ready(workload({ ...w2, x: 2 }));
    kill(world, 'demo-0-x-1-b');
    expect(readyOf(world)).toMatchObject({
      reason: 'TerminationDue',
      message: expect.stringContaining('demo-0-x'),
    });
  });

  it('has other causes before that one', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    world.options = { refuse: (op) => (op === 'delete' ? 'FORBIDDEN' : undefined) };
    world.pass(delayMs);
    expect(readyOf(world)).toMatchObject({ reason: 'ReconcileFailed' });
  });
});
