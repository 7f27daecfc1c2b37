// An API server that is overloaded and has other writers: conflicts, errors, and "come back later",
// which has to be obeyed by all who write the same kind.
import { expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Passed } from '../proxy/traffic.ts';
import type { Scenario } from '../stage/describe.ts';

const first = pairs('refused', 20);
const more = pairs('refused', 30);
const retryAfterSeconds = 3;
/** Requests within this time of the 429 were on their way. */
const onTheirWayMs = 1_000;

export const refusals: Scenario = {
  name: 'refusals',
  title: 'gets there in spite of 409, 429 and 500, and comes back when it was told to',
  run: async (scene) => {
    const { kube, namespace, proxy } = scene;
    await scene.controller();
    const refuse = (status: number, rate: number): void => {
      proxy.inflict({ verb: 'write', rate, fault: { type: 'answer', status } });
    };
    refuse(409, 0.05);
    refuse(500, 0.1);
    const later = { type: 'answer', status: 429, retryAfterSeconds } as const;
    proxy.inflict({ verb: 'create', kind: 'Pod', nth: 10, fault: later });
    await scene.create(first);
    // More are wanted while their creation has to wait.
    const sinceTold = (): number => performance.now() - toldAt(proxy.traffic.all);
    await eventually('a 429', sinceTold, (ms) => ms > onTheirWayMs);
    await kube.scale(namespace, 'podcliquesets', 'refused', more.replicas);
    scene.say(`30 replicas after ${Math.round(await scene.ready(more))} ms`);
    expect(scene.podsEver).toBe(podsOf(more));
    const { all } = proxy.traffic;
    const refused = all.filter(({ fault }) => fault === 'answer').length;
    expect(refused).toBeGreaterThan(all.length / 50);
    scene.say(`${refused} of ${all.length} requests refused`);
    expect(early(all)).toEqual([]);
  },
};

/** When the 429 was answered; NaN: it was not yet. */
const toldAt = (all: readonly Passed[]): number =>
  all.find(({ status }) => status === 429)?.at ?? Number.NaN;

/** Writes of pods that came before the time that the 429 had named. */
function early(all: readonly Passed[]): readonly string[] {
  const told = toldAt(all);
  const untilMs = retryAfterSeconds * 1000 - 100;
  return all
    .filter(({ kind, verb }) => kind === 'Pod' && (verb === 'create' || verb === 'delete'))
    .filter(({ at }) => at - told > onTheirWayMs && at - told < untilMs)
    .map(({ verb, name, at }) => `${verb} ${name} ${Math.round(at - told)} ms after`);
}
