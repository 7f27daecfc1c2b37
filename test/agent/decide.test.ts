// What happens to IMEX: each case, and in random histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, identifiedIn, startingMs, watchdogMs } from '#src/agent/decide.ts';
import type { Action, Child, Desired } from '#src/agent/decide.ts';

const named = { now: 10_000, hasNames: true };
const plain = { now: 10_000, hasNames: false };
const desired: Desired = { identity: 2, map: 'm' };
const never: Child = { phase: 'stopped', endedAt: undefined, mismatches: 0 };
const running = (over: Partial<Extract<Child, { phase: 'running' }>> = {}): Child => ({
  phase: 'running',
  startedAt: 0,
  knows: desired,
  identified: 2,
  mismatches: 0,
  ...over,
});

describe('IMEX', () => {
  it('is started once there is something to know (HC-46, HC-47)', () => {
    expect(decide(desired, never, named)).toEqual({ do: 'start' });
  });

  it('that ended by itself is started again after a second (3.4)', () => {
    const ended: Child = { phase: 'stopped', endedAt: 9_500, mismatches: 0 };
    expect(decide(desired, ended, named)).toEqual({ do: 'wait', until: 9_500 + watchdogMs });
    expect(decide(desired, { ...ended, endedAt: 9_000 }, named)).toEqual({ do: 'start' });
  });

  it('is left alone while nothing changes, and while it ends', () => {
    expect(decide(desired, running(), named)).toEqual({ do: 'nothing' });
    const stopping: Child = { phase: 'stopping', mismatches: 0 };
    expect(decide({ identity: 9, map: 'x' }, stopping, named)).toEqual({ do: 'nothing' });
  });

  it('is told of a changed map by a signal, not by a restart (HC-43)', () => {
    expect(decide({ identity: 2, map: 'new' }, running(), named)).toEqual({ do: 'signal' });
  });

  it('is not signalled before it can know the signal', () => {
    const young = running({ identified: undefined, startedAt: 9_900 });
    const changed = { identity: 2, map: 'new' };
    expect(decide(changed, young, named)).toEqual({ do: 'wait', until: 9_900 + startingMs });
    const old = running({ identified: undefined, startedAt: 8_000 });
    expect(decide(changed, old, named)).toEqual({ do: 'signal' });
  });

  it('is restarted when its own index differs from that of its start (#1418)', () => {
    expect(decide({ identity: 3, map: 'm' }, running(), named)).toEqual({
      do: 'restart',
      why: 'its index is 3 now, it was 2',
      isMismatch: false,
    });
  });

  it('is restarted when it takes itself for another, less often each time (#1417)', () => {
    const wrong = { identified: 5, startedAt: 9_500 };
    expect(decide(desired, running(wrong), named)).toEqual({
      do: 'restart',
      why: 'it takes itself for 5, its index is 2',
      isMismatch: true,
    });
    expect(decide(desired, running({ ...wrong, mismatches: 2 }), named)).toEqual({
      do: 'wait',
      until: 11_500,
    });
  });

  it('is told of a changed map also while a restart for a wrong number waits', () => {
    const wrong = running({ identified: 5, startedAt: 9_500, mismatches: 2 });
    const changed = { identity: 2, map: 'new' };
    expect(decide(changed, wrong, named)).toEqual({ do: 'signal' });
    const told = { ...wrong, knows: changed };
    expect(decide(changed, told, named)).toEqual({ do: 'wait', until: 11_500 });
    expect(decide(changed, told, { ...named, now: 11_500 })).toMatchObject({ isMismatch: true });
  });

  it('without names is restarted for each change', () => {
    expect(decide({ identity: 2, map: 'new' }, running(), plain)).toMatchObject({ do: 'restart' });
  });

  it('says its number in a line of its log', () => {
    expect(identifiedIn('[INFO] Identified this node as ID 7, using bind IP')).toBe(7);
    expect(identifiedIn('Identified this node as ID 12')).toBe(12);
    expect(identifiedIn('Connection to node 3 with ID 4')).toBeUndefined();
  });
});

type Event =
  | { readonly what: 'desired'; readonly identity: number; readonly map: string }
  | { readonly what: 'crash' }
  | { readonly what: 'says'; readonly right: boolean }
  | { readonly what: 'exit' }
  | { readonly what: 'pass'; readonly ms: number };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    what: fc.constant('desired' as const),
    identity: fc.integer({ min: 0, max: 2 }),
    map: fc.constantFrom('a', 'b', 'c'),
  }),
  fc.constant({ what: 'crash' as const }),
  fc.record({ what: fc.constant('says' as const), right: fc.boolean() }),
  fc.constant({ what: 'exit' as const }),
  fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3_000 }) }),
);

/** IMEX and time, as far as decisions go. */
class World {
  now = 0;
  desired: Desired | undefined;
  child: Child = never;

  happen(event: Event): void {
    const { child } = this;
    if (event.what === 'desired') this.desired = { identity: event.identity, map: event.map };
    else if (event.what === 'pass') this.now += event.ms;
    else if (event.what === 'exit' && child.phase === 'stopping') {
      this.child = { ...child, phase: 'stopped', endedAt: undefined };
    } else if (child.phase === 'running') {
      const { mismatches, knows } = child;
      if (event.what === 'crash') this.child = { phase: 'stopped', endedAt: this.now, mismatches };
      else if (event.what === 'says') {
        this.child = { ...child, identified: knows.identity + (event.right ? 0 : 1) };
      }
    }
    this.act();
  }

  act(): Action {
    const { child, desired: knows } = this;
    // Our own row was never there: nobody decides anything.
    if (knows === undefined) return { do: 'nothing' };
    const action = decide(knows, child, { now: this.now, hasNames: true });
    if (action.do === 'start') {
      this.child = {
        phase: 'running',
        startedAt: this.now,
        knows,
        identified: undefined,
        mismatches: child.mismatches,
      };
    } else if (action.do === 'signal') {
      if (child.phase !== 'running') throw new Error('nobody to signal');
      if (child.knows.identity !== knows.identity) throw new Error('a signal for a new index');
      this.child = { ...child, knows };
    } else if (action.do === 'restart') {
      if (child.phase !== 'running') throw new Error('nobody to restart');
      const mismatches = action.isMismatch ? child.mismatches + 1 : child.mismatches;
      this.child = { phase: 'stopping', mismatches };
    } else if (action.do === 'wait' && action.until <= this.now) {
      throw new Error('waits for what is over');
    }
    return action;
  }
}

describe('IMEX in any history', () => {
  it('acts once on each change, and in the end knows what it should', () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
        const world = new World();
        for (const event of events) {
          world.happen(event);
          // What was done needs not be done again.
          if (world.child.phase !== 'stopped') {
            expect(['nothing', 'wait']).toContain(world.act().do);
          }
        }
        if (world.desired === undefined) {
          expect(world.child).toEqual(never);
          return;
        }
        for (let round = 0; round < 4; round++) {
          world.happen({ what: 'exit' });
          world.happen({ what: 'pass', ms: 61_000 });
          world.happen({ what: 'says', right: true });
        }
        expect(world.child).toMatchObject({ phase: 'running', knows: world.desired });
      }),
    );
  });
});
