// What becomes of a pod that was asked for, when fewer are wanted before it was seen: its create
// cannot be taken back. Found by a history: two pods lived for a moment where one was wanted.
import { describe, expect, it } from 'vitest';
import { podName } from '#machines/grove/objects/pod-names.ts';
import { podClique } from '#machines/grove/podclique/behaviour.ts';
import type { CliqueContext } from '#machines/grove/podclique/context.ts';
import { reduce } from '#machines/grove/podclique/reduce.ts';
import { planOf } from '#test/support/plan-of.ts';
import { clique, contextOf, gang, pod } from './sample.ts';

const now = Date.UTC(2026, 0, 1);
const status = { phase: 'Running', conditions: [{ type: 'PodScheduled', status: 'True' }] };

/** What the plan creates, by name. */
const created = (context: CliqueContext): readonly string[] =>
  planOf(podClique, context, now).intents.flatMap((intent) =>
    intent.type === 'createObject' ? [intent.ref.name] : [],
  );

const listing = (listed: readonly string[]) => ({
  gangs: new Map([['demo-0', gang(listed)]]),
});

const nameOf = (index: number): string => podName('demo-0-worker', 'clique-uid', index, 0);

describe('a pod that was asked for and not seen', () => {
  const [first, second] = [nameOf(0), nameOf(1)];
  const ref = { kind: 'Pod', namespace: 'demo', name: second } as const;
  const two = contextOf(clique({ replicas: 2 }), [pod({ name: first, index: 0, status })]);
  /** The second pod was asked for; then one is wanted, and the first pod goes. */
  const asked = {
    ...two,
    ...planOf(podClique, { ...two, ...listing([first, second]) }, now).changes,
  };
  const fewer = (before: CliqueContext): CliqueContext => {
    const scaled = { ...before, clique: clique({ replicas: 1 }), ...listing([first]) };
    const next = { ...scaled, ...planOf(podClique, scaled, now).changes };
    return { ...next, pods: new Map(), ...listing([first, second]) };
  };

  it('takes the place of another, as it may come', () => {
    expect(created(fewer(asked))).toEqual([second]);
  });

  it('does so after an error too, as that may have come of a lost answer', () => {
    const event = { type: 'effect.failed', op: 'create', ref, code: 'UNREACHABLE' } as const;
    const failed = reduce(asked, { ...event, message: 'lost', now, retryAt: now });
    expect(created(fewer(failed))).toEqual([second]);
  });

  it('does not when it was created and went again', () => {
    const answered = reduce(asked, { type: 'effect.done', op: 'create', ref });
    expect(created(fewer(answered))).toEqual([first]);
  });

  it('does not when it was seen, as it counts by itself', () => {
    const seen = pod({ name: second, index: 1, status });
    const there = { ...asked, pods: new Map([...asked.pods, [second, seen]]) };
    const next = { ...there, ...planOf(podClique, there, now).changes };
    expect(created(fewer(next))).toEqual([first]);
  });
});
