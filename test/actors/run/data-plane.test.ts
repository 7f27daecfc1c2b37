// What an actor and its data plane have to do with each other: instructions go there at once, what
// the plane says comes back as mail, and the plane hears when the actor is over, not when it
// crashes.
import { describe, expect, it } from 'vitest';
import type { DataPlane } from '#actors/data-plane.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type { Instruction } from '#machines/contract/intents.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import { idle, type StepResult } from '#machines/statechart/step.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

interface Own {
  readonly deleting: boolean;
}

interface Context {
  readonly key: ActorKey;
  readonly own: Own | undefined;
  readonly isGone: boolean;
  readonly heard: readonly string[];
  readonly isTold: boolean;
}

type Event =
  | CommonEvent
  | { readonly type: 'own.seen' | 'own.gone' }
  | { readonly type: 'heard'; readonly what: string };

function reduce(context: Context, event: Event): Context {
  if (event.type === 'own.seen') return { ...context, own: { deleting: false } };
  if (event.type === 'own.gone') return { ...context, isGone: true };
  if (event.type !== 'heard') return context;
  return { ...context, heard: [...context.heard, event.what], isTold: false };
}

/** Says first what it has heard, then how often, once for each time that it heard something. */
function say({ heard: all, isTold }: Context): StepResult<Context> {
  if (isTold) return idle;
  const words = [...all, String(all.length)];
  return {
    intents: words.map((type) => ({ type: 'instruct', instruction: { type } })),
    changes: { isTold: true },
  };
}

const behaviour: Behaviour = defineBehaviour<Context, Own, Event>({
  kind: 'podcliqueset',
  controller: 'set',
  own: { of: ({ own }) => own, isGone: ({ isGone }) => isGone },
  start: ({ key }) => ({ key, own: undefined, isGone: false, heard: [], isTold: false }),
  reduce,
  chart: {},
  steps: [{ do: say, in: ['active'] }],
  status: () => undefined,
  explain: {},
  fine: () => 'fine',
  view: ({ heard: words }) => ({ heard: [...words] }),
  hasNothing: () => true,
});

/** Remembers all; throws at a word of the test's choice. */
class Plane implements DataPlane {
  readonly told: string[] = [];
  refused = '';
  answer: (instruction: Instruction) => void = () => undefined;

  carryOut(_: ActorKey, instruction: Instruction): void {
    if (instruction.type === this.refused) throw new Error(`not ${instruction.type}`);
    this.told.push(instruction.type);
    this.answer(instruction);
  }

  ended({ name }: ActorKey): void {
    this.told.push(`${name} has ended`);
    if (this.refused === 'the end') throw new Error('it goes on');
  }
}

const key = setKey('demo');
const heard = (what: string): Event => ({ type: 'heard', what });

async function running(plane = new Plane(), hasPlane = true) {
  const planes = new Map(hasPlane ? [[key.kind, plane] as const] : []);
  const world = stage({ behaviours: [behaviour], planes });
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1 } });
  world.system.synced();
  await world.clock.drain();
  const hear = async (what: string): Promise<void> => {
    world.system.signal(key, heard(what));
    await world.clock.drain();
  };
  return { ...world, plane, hear };
}

describe('Instructions of an actor', () => {
  it('are carried out at once and in order, and what comes back is mail', async () => {
    const plane = new Plane();
    const { hear, system, telemetry } = await running(plane);
    expect(plane.told).toEqual(['0']);
    const isOver = (): number => telemetry.calls.reconciled.length;
    const before = isOver();
    plane.answer = () => {
      plane.answer = () => undefined;
      // The reconcile that asked for it is still under way.
      expect(isOver()).toBe(before);
      system.signal(key, heard('b'));
    };
    await hear('a');
    // Not before the intents that came with it.
    expect(plane.told).toEqual(['0', 'a', '1', 'a', 'b', '2']);
  });

  it('crash it where the plane throws; those after are not carried out', async () => {
    const { hear, plane, clock, telemetry, view } = await running();
    plane.refused = 'a';
    await hear('a');
    expect(plane.told).toEqual(['0']);
    expect(telemetry.calls.restarted).toHaveLength(1);
    plane.refused = '';
    await clock.advance(300);
    // It has forgotten what it heard, and the plane has not.
    expect(plane.told).toEqual(['0', '0']);
    expect(await view(key)).toMatchObject({ mode: 'alive' });
  });

  it('crash it where its kind has no plane', async () => {
    const { telemetry } = await running(new Plane(), false);
    expect(String(telemetry.calls.restarted[0]?.error)).toContain('podcliqueset has no data plane');
  });
});

describe('What a data plane says', () => {
  it('is not heard by an actor that waits for its restart, nor where none runs', async () => {
    const { hear, plane, clock, system } = await running();
    plane.refused = 'a';
    await hear('a');
    plane.refused = '';
    await hear('lost');
    await clock.advance(300);
    system.signal(setKey('nobody'), { type: 'heard' });
    expect(plane.told).toEqual(['0', '0']);
  });
});

describe('The end of an actor', () => {
  it('is told to its plane once; a crash is not', async () => {
    const { hear, plane, clock, cluster } = await running();
    plane.refused = 'a';
    await hear('a');
    await clock.advance(300);
    expect(plane.told).not.toContain('demo has ended');
    cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await clock.advance(1_000);
    expect(plane.told.filter((word) => word === 'demo has ended')).toHaveLength(1);
  });

  it('is its end for all others also where its plane throws, which is logged', async () => {
    const { plane, clock, cluster, system, telemetry, facts } = await running();
    plane.refused = 'the end';
    cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await clock.advance(120_000);
    expect(plane.told.slice(1)).toEqual(['demo has ended']);
    expect(telemetry.calls.restarted).toEqual([]);
    expect(facts.filter(({ what }) => what === 'ended')).toHaveLength(1);
    const said = telemetry.calls.log.map(([level, text]) => `${level} ${text}`);
    expect(said).toEqual(['error a data plane did not take the end of an actor']);
    expect(system.tree()).toMatchObject({ actors: 0 });
  });
});
