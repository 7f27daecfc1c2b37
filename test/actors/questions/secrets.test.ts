// What may hold a secret leaves the process nowhere: neither with facts, which the ring and the bus
// have, nor with messages, nor with what is answered, whoever asks.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Envelope } from '#actors/ports.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { setKey } from '../fixtures/facts.ts';
import { founder } from '../fixtures/founder.ts';
import { cliques } from '../fixtures/plan.ts';
import { stage, up } from '../fixtures/stage.ts';

const secret = 'hunter2-hunter2';
const about = setKey('demo');

/** The machine knows the secret, and tells everybody. */
const leaky = behaviours.map((one): Behaviour => ({
  ...one,
  view: (snapshot) => ({
    ...one.view(snapshot),
    bootstrapToken: secret,
    containers: [{ args: [`--password=${secret}`], env: [{ name: 'GREETING', value: secret }] }],
  }),
  why: () => [`Pod x: create failed: Authorization: Bearer ${secret}`],
}));

const expectNone = (shown: unknown): void => {
  const text = JSON.stringify(shown);
  expect(text).toContain('[redacted]');
  expect(text).not.toContain('hunter2');
};

describe('A secret', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is in no answer', async () => {
    const { system } = await up({ behaviours: leaky });
    for (const question of ['state', 'why']) {
      expectNone(await system.ask({ about, question, payload: {} }));
    }
  });

  it('is in no answer of a machine that throws when it is asked', async () => {
    const throwing = leaky.map((one): Behaviour => ({
      ...one,
      why: () => {
        throw new Error(`token=${secret}`);
      },
    }));
    const { system } = await up({ behaviours: throwing });
    expectNone(await system.ask({ about, question: 'why', payload: {} }));
  });

  it('is in no fact, neither in the ring nor on the bus nor in history', async () => {
    const world = await up({ commands: true });
    const payload = { reason: `password: ${secret}` };
    await world.system.ask({ about, question: 'park', payload });
    const last = world.facts.findLast(({ what }) => what === 'parked');
    expectNone(last);
    expect(world.system.history.of('podcliqueset/default/demo', 1)).toMatchObject([last]);
    expectNone(await world.system.ask({ about, question: 'history', payload: {} }));
  });

  it('is in no history that the stream keeps from before', async () => {
    const world = await up({ limits: { facts: 1 } });
    const data = { error: `password: ${secret}` };
    const of = { about, what: 'parked', data } as const;
    const fact = { ...of, id: 'old', cause: '', trace: 'old', at: 0 };
    if (world.bus === undefined) throw new Error('no bus');
    world.bus.past = () => Promise.resolve({ facts: [{ place: 1, fact }] });
    expectNone(await world.system.ask({ about, question: 'history', payload: {} }));
  });

  it('is in no message, and in no fact about one', async () => {
    vi.spyOn(cliques, 'say').mockReturnValue(`token=${secret}`);
    const world = stage();
    const told: Envelope[] = [];
    if (world.bus === undefined) throw new Error('no bus');
    vi.spyOn(world.bus, 'copy').mockImplementation((envelope) => void told.push(envelope));
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    expectNone(told);
    expectNone(world.facts.filter(({ what }) => what === 'woken'));
  });

  it('is left in what a behaviour answers to a question of its own, which is for programs', async () => {
    const answer: Answer = { ok: true, data: { token: secret } };
    const telling: Behaviour = {
      ...founder,
      reconcile: (...given) => {
        const { intents, ...done } = founder.reconcile(...given);
        return {
          ...done,
          intents: intents.map((one) => (one.type === 'answer' ? { ...one, answer } : one)),
        };
      },
    };
    const [, clique = telling] = behaviours;
    const { system, clock } = await up({ behaviours: [telling, clique] });
    const asked = system.ask({ about, question: 'find', payload: {} });
    await clock.advance(100);
    expect(await asked).toEqual(answer);
  });
});
