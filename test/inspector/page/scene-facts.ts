// What happened in the made-up scene: a quarter of an hour of everything, and a trace of 200 facts
// that one edit caused.
import type { FactRow } from '#src/inspector/protocol.ts';
import { type FakeRow, states } from './rows.ts';
import { minute, parked, restarting, stuck, trace } from './scene-ids.ts';

let placeOfNext = 0;

const fact = (about: string, at: number, what: string, data: FactRow['data']): FactRow => {
  const sequence = ++placeOfNext;
  return { sequence, id: `k3x-${sequence}`, cause: '', trace: '', at, about, what, data };
};

/** Of the last quarter of an hour, of all of them. */
export function earlierFacts(rows: readonly FakeRow[], now: number): readonly FactRow[] {
  const facts: FactRow[] = [];
  rows.forEach(({ id }, index) => {
    for (let turn = 0; turn < 14; turn++) {
      const at = now - 15 * minute + ((index * 7919 + turn * 63_211) % (14 * minute));
      // What is stuck moves no more.
      facts.push(usualFact(id, at, id === stuck && turn % 4 === 3 ? turn - 1 : turn));
    }
  });
  facts.push(
    fact(stuck, now - 26 * minute, 'transition', {
      from: states.cliqueUnready,
      to: states.cliqueUnscheduled,
      event: 'reconcile',
    }),
    fact(parked, now - 12 * minute, 'parked', { error: 'no pod has index 7', restarts: 5 }),
    fact(restarting, now - 8000, 'restarted', {
      error: 'no pod has index 7',
      during: 'reconcile',
      restarts: 3,
    }),
    fact(stuck, now - 5 * minute, 'wrote', {
      op: 'create',
      object: 'Pod/inference/deepseek-r1-0-engine-1-worker-x7k2p',
      outcome: 'FORBIDDEN',
      reason: '1 of 4 pods is missing',
      ms: 11,
    }),
  );
  return facts
    .toSorted((a, b) => a.at - b.at)
    .map((one, index) => ({
      ...one,
      sequence: index + 1,
      id: `k3x-e${index}`,
      trace: `k3x-e${index}`,
    }));
}

function usualFact(id: string, at: number, turn: number): FactRow {
  const [, namespace = '', name = ''] = id.split('/');
  const kinds = [
    () =>
      fact(id, at, 'observed', {
        kind: 'Pod',
        name: `${name}-j7f8c`,
        version: `${4000 + turn}`,
        summary: 'seen',
      }),
    () =>
      fact(id, at, 'woken', {
        view: 'gangScheduling',
        key: `${namespace}/${name}`,
        value: '3 of 3 PodCliques scheduled',
      }),
    () =>
      fact(id, at, 'wrote', {
        op: 'status',
        object: `PodClique/${id.slice(id.indexOf('/') + 1)}`,
        outcome: 'ok',
        reason: 'status changed',
        ms: 9,
      }),
    () =>
      fact(id, at, 'transition', {
        from: { active: { rollout: 'current', readiness: 'unready' } },
        to: { active: { rollout: 'current', readiness: 'ready' } },
        event: 'reconcile',
      }),
  ];
  return kinds[turn % kinds.length]?.() ?? fact(id, at, 'ended', {});
}

const rolloutSize = 200;
const set = 'podcliqueset/inference/llama-70b';

/** Facts of one trace, each by what follows what. */
class Rollout {
  readonly facts: FactRow[] = [];
  readonly #start: number;

  constructor(start: number) {
    this.#start = start;
  }

  /** Returns its id, which is the cause of what follows. */
  add(about: string, after: number, cause: string, what: string, data: FactRow['data']): string {
    const id = `k3x-${100 + this.facts.length}`;
    const sequence = 100_000 + this.facts.length;
    const at = this.#start + after;
    this.facts.push({ sequence, id, cause, trace, at, about, what, data });
    return id;
  }
}

/** An edit of a template, and what followed. */
export function rolloutFacts(now: number): readonly FactRow[] {
  const start = now - 4 * minute;
  const rollout = new Rollout(start);
  const edit = rollout.add(set, 0, '', 'observed', {
    kind: 'PodCliqueSet',
    name: 'llama-70b',
    version: '48211',
    summary: 'seen',
    edit: {
      manager: 'argocd-controller',
      operation: 'Apply',
      at: start - 40,
      paths: ['spec.template.cliques[0].spec.podSpec.containers[0].image'],
    },
  });
  const moved = rollout.add(set, 2, edit, 'transition', {
    from: { active: { rollout: 'current', readiness: 'ready' } },
    to: { active: { rollout: 'replacing', readiness: 'updating' } },
    event: 'reconcile',
  });
  rollout.add(set, 14, moved, 'wrote', {
    op: 'status',
    object: 'PodCliqueSet/inference/llama-70b',
    outcome: 'ok',
    reason: 'status changed',
    ms: 11,
  });
  for (let step = 0; rollout.facts.length < rolloutSize; step++) replace(rollout, step, moved);
  return rollout.facts.slice(0, rolloutSize);
}

/** One pod of an older template goes. */
function replace(rollout: Rollout, step: number, cause: string): void {
  const role = step % 2 === 0 ? 'leader' : 'worker';
  const clique = `podclique/inference/llama-70b-1-engine-${step % 3}-${role}`;
  const at = 20 + step * 41;
  const woken = rollout.add(clique, at, cause, 'woken', {
    view: 'setTemplate',
    key: 'inference/llama-70b',
    value: 'template w5x8d7',
  });
  const decided = rollout.add(clique, at + 1, woken, 'decided', {
    what: 'replacePod',
    why: `pod ${step} is of an older template`,
  });
  rollout.add(clique, at + 22, decided, 'wrote', {
    op: 'delete',
    object: `Pod/inference/llama-70b-1-engine-${step % 3}-${step}`,
    outcome: step % 17 === 9 ? 'CONFLICT' : 'ok',
    reason: 'older template',
    ms: 18 + (step % 9),
  });
  if (step % 2 !== 0) return;
  rollout.add(clique, at + 24, decided, 'transition', {
    from: { active: { rollout: 'waiting' } },
    to: { active: { rollout: 'replacing' } },
    event: 'reconcile',
  });
}
