// Six edits within twenty seconds, by a hundred seeds that draw them, the pauses between them and
// the order in which everybody hears of what: templates restart nothing but what differs in the end
// and what had been begun, numbers of replicas restart nothing, and all counters are right.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Random } from '#actors/ports.ts';
import { amountOf } from '#test/support/optional.mjs';
import { cliqueSet } from '#test/support/samples.ts';
import { statusMismatches } from '#test/support/statuses/mismatches.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { Run } from '../golden/run.ts';

const seeds = Array.from({ length: amountOf('seeds of six edits') }, (_, index) => index + 1);

/** Two replicas of `worker` and `router`, and of group `engine` of `leader` and `hand`. */
const set = cliqueSet(
  2,
  [
    { name: 'worker', replicas: 2, minAvailable: 1 },
    { name: 'router', replicas: 1 },
    { name: 'leader', replicas: 1 },
    { name: 'hand', replicas: 1 },
  ],
  {
    podCliqueScalingGroups: [
      { name: 'engine', cliqueNames: ['leader', 'hand'], replicas: 2, minAvailable: 1 },
    ],
  },
);

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random.next() * items.length)] as T;

/** What one edit comes to; six in twenty seconds. */
function sixTimes(run: Run, random: Random, edit: () => void): void {
  for (let time = 0; time < 6; time++) {
    if (time > 0) run.pass(pick(random, [0, 1, 2, 3, 4]));
    edit();
  }
  run.rest();
}

const lines = ({ moments }: Run): readonly string[] => moments.flatMap((moment) => moment.lines);

/** `demo-0-worker-1 B` of each pod that was deleted, after that second. */
const deletedPods = ({ moments }: Run, after = -1): readonly string[] =>
  moments
    .filter(({ second }) => second > after)
    .flatMap((moment) => moment.lines)
    .flatMap((line) => (line.startsWith('delete Pod ') ? [line.slice('delete Pod '.length)] : []));

const uidsOf = ({ world: { store } }: Run): ReadonlyMap<string, string> =>
  new Map(store.all('Pod').map((pod) => [hostOf(pod), pod.metadata.uid ?? '']));

const hostOf = (pod: KubeObject): string => String(at(pod, 'spec', 'hostname'));

function expectRight(run: Run, what: string): void {
  const wrong = [...run.violations, ...statusMismatches(run.world.store, true)];
  expect({ what, wrong }).toEqual({ what, wrong: [] });
}

describe('Six edits within twenty seconds', () => {
  it.each(seeds)('of templates restart what differs in the end or was begun (seed %i)', (seed) => {
    const random = seeded(seed);
    const run = new Run(set, seed);
    const last = { worker: 'A', leader: 'A', hand: 'A' };
    const names = ['worker', 'leader', 'hand'] as const;
    sixTimes(run, random, () => {
      const name = pick(random, names);
      last[name] = pick(random, ['A', 'B', 'C', 'D']);
      run.template(last[name], name);
    });
    const said = lines(run).join('\n');
    expect(deletedPods(run).filter((pod) => pod.includes('router'))).toEqual([]);
    const begun = (pod: string): boolean => said.includes(`turn of replica ${pod.split('-')[1]}`);
    expect(deletedPods(run).filter((pod) => !begun(pod))).toEqual([]);
    const edited = run.moments.findLast((moment) => moment.lines[0]?.startsWith('*'));
    // What had been decided before the last edit was heard of ends within its second.
    const again = deletedPods(run, edited?.second).filter((pod) =>
      new RegExp(`worker-. ${last.worker}$`).test(pod),
    );
    expect({ said, again }).toEqual({ said, again: [] });
    for (const line of run.end().filter((one) => one.startsWith('demo-'))) {
      const [, name = '', ...templates] = /^demo.*-(\w+) (.*)$/.exec(line) ?? [];
      const wanted = name === 'router' ? 'A' : last[name as keyof typeof last];
      expect({ line, is: new Set(templates.join().split(' ')) }).toEqual({
        line,
        is: new Set([wanted]),
      });
    }
    expectRight(run, said);
  });

  it.each(seeds)('of numbers of replicas restart nothing (seed %i)', (seed) => {
    const random = seeded(seed);
    const run = new Run(set, seed);
    const before = uidsOf(run);
    const { store } = run.world;
    const targets = [
      ['PodCliqueSet', 'demo', 2],
      ['PodClique', 'demo-0-worker', 2],
      ['PodCliqueScalingGroup', 'demo-0-engine', 2],
    ] as const;
    const least = new Map(targets.map(([kind, , many]) => [kind as string, many as number]));
    sixTimes(run, random, () => {
      const [kind, name] = pick(random, targets);
      const many = pick(random, [1, 2, 3, 4]);
      least.set(kind, Math.min(least.get(kind) ?? many, many));
      run.scale(kind, name, many);
    });
    const said = lines(run).join('\n');
    const after = uidsOf(run);
    for (const [host, uid] of before) {
      const [, index = '', child = '', place = ''] = host.split('-');
      const kind = { worker: 'PodClique', engine: 'PodCliqueScalingGroup' }[child];
      const isScaled = index === '0' && kind !== undefined;
      const stays =
        Number(index) < (least.get('PodCliqueSet') ?? 0) &&
        (!isScaled || Number(place) < (least.get(kind) ?? 0));
      if (stays) expect(after.get(host), `${host}\n${said}`).toBe(uid);
    }
    expect(at(store.get('PodCliqueSet', 'demo'), 'status', 'updateProgress')).toBeUndefined();
    expectRight(run, said);
  });
});
