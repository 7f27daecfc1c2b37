// A bad morning in a made-up cluster: what the tests of the page look at, and what its pictures
// show. Times are told by the moment at which it begins.
import type { FactRow } from '#src/inspector/protocol.ts';
import type { FakeInspector } from './fake.ts';
import { type FakeRow, setOf, states } from './rows.ts';

export const stuck = 'podclique/inference/deepseek-r1-0-engine-1-worker';
export const parked = 'podcliqueset/research/sweep-07';
export const restarting = 'podgang/research/sweep-07-0';
export const trace = 'k3x-100';

const minute = 60_000;

/** Fills it; all of it happened before `now`. */
export function playScene(fake: FakeInspector, now: number): void {
  const rows = rowsAt(now);
  fake.change(...rows);
  fake.overview = overviewAt(now, fake);
  fake.note(...earlierFacts(rows, now), ...rolloutFacts(now));
  for (const [id, answer] of answersAt(now)) fake.why.set(id, answer);
  fake.state.set(stuck, stateOfStuck(now));
}

function rowsAt(now: number): readonly FakeRow[] {
  const hours = (count: number): number => now - count * 60 * minute;
  const sets = [
    ...setOf('inference', 'deepseek-r1', 1, 2, hours(7)),
    ...setOf('inference', 'llama-70b', 2, 3, hours(31)),
    ...setOf('inference', 'mixtral', 1, 2, hours(52)),
    ...setOf('research', 'sweep-07', 1, 1, hours(2)),
    ...setOf('training', 'pretrain-b', 2, 1, hours(90)),
  ];
  const changed: Readonly<Record<string, Partial<FakeRow>>> = {
    'podcliqueset/inference/deepseek-r1': {
      state: states.setUnavailable,
      since: now - 26 * minute,
    },
    [stuck]: { state: states.cliqueUnscheduled, since: now - 26 * minute, mailbox: 1 },
    'podgang/inference/deepseek-r1-0': { state: states.gangCollecting, since: now - 26 * minute },
    'podcliqueset/inference/llama-70b': { state: states.setUpdating, since: now - 4 * minute },
    'podclique/inference/llama-70b-1-router': {
      state: states.cliqueReplacing,
      since: now - 2 * minute,
    },
    'scalinggroup/inference/llama-70b-1-engine': {
      state: states.groupUpdating,
      since: now - minute,
    },
    'podclique/training/pretrain-b-1-router': {
      state: states.cliqueUnready,
      since: now - 3 * minute,
    },
    [parked]: { state: 'parked', isParked: true, restarts: 5, since: now - 12 * minute },
    [restarting]: { state: 'waiting', restarts: 3, since: now - 8000 },
  };
  const others: readonly FakeRow[] = [
    {
      id: 'sandboxwarmpool/agents/python',
      state: { active: { supply: 'full', claims: 'served' } },
      since: hours(9),
    },
    {
      id: 'sandboxwarmpool/agents/browser',
      state: { active: { supply: 'filling', claims: 'waiting' } },
      since: now - 40_000,
    },
    {
      id: 'computedomain/training/nvl-rack-4',
      state: { active: { children: 'complete', daemons: 'alike', status: 'small' } },
      since: hours(90),
    },
    {
      id: 'clique/nvidia-dra-driver/nvl-rack-4.1',
      state: { active: { membership: 'complete', table: 'agreed' } },
      parent: 'computedomain/training/nvl-rack-4',
      since: hours(90),
    },
    {
      id: 'topologybinding//default',
      state: { active: { sync: 'inSync' } },
      since: hours(200),
    },
  ];
  return [...sets.map((row) => ({ ...row, ...changed[row.id] })), ...others];
}

const overviewAt = (now: number, fake: FakeInspector): FakeInspector['overview'] => ({
  ...fake.overview,
  parked: 1,
  restarting: 1,
  backingOff: [
    {
      object: 'Pod/inference/deepseek-r1-0-engine-1-worker-x7k2p',
      code: 'FORBIDDEN',
      until: now + 42_000,
    },
    { object: 'Service/research/sweep-07-0', code: 'ALREADY_EXISTS', until: null },
  ],
  answers: { '200': 18_204, '201': 2_113, '403': 6, '404': 11, '409': 37, '429': 4 },
  writesPerSecond: 14.2,
  watches: [
    { kind: 'Pod', ageMs: 240 },
    { kind: 'PodClique', ageMs: 1_900 },
    { kind: 'PodCliqueSet', ageMs: 31_000 },
    { kind: 'PodGang', ageMs: 4_100 },
    { kind: 'ResourceClaim', ageMs: 402_000 },
  ],
  shards: [
    { shard: 0, holder: 'coppice-7d9c-x2x4p', isHere: true },
    { shard: 1, holder: 'coppice-7d9c-m8q1z', isHere: false },
    { shard: 2, holder: 'coppice-7d9c-x2x4p', isHere: true },
    { shard: 3, holder: 'coppice-7d9c-m8q1z', isHere: false },
  ],
});

function answersAt(now: number): readonly (readonly [string, object])[] {
  const none = { decisions: [], blocked: [], wakesAt: null };
  return [
    [
      stuck,
      {
        because: [
          'pod deepseek-r1-0-engine-1-worker-j7f8c (and 1 more) is unschedulable: 0/12 nodes are ' +
            'available: 12 Insufficient nvidia.com/gpu',
          'Pod deepseek-r1-0-engine-1-worker-x7k2p: create refused (FORBIDDEN): exceeded quota: ' +
            'gpus, requested: 8, used: 96, limited: 96; check RBAC, quota and webhooks: it is ' +
            'tried again now and then',
        ],
        wakesAt: now + 42_000,
        blocked: [
          {
            object: 'Pod/inference/deepseek-r1-0-engine-1-worker-x7k2p',
            code: 'FORBIDDEN',
            message: 'exceeded quota: gpus, requested: 8, used: 96, limited: 96',
            retryAt: now + 42_000,
          },
        ],
        decisions: [
          { at: now - 27 * minute, what: 'createPods', why: '4 of 4 pods are missing' },
          { at: now - 26 * minute, what: 'removeGates', why: 'PodGang deepseek-r1-0 is scheduled' },
          { at: now - 5 * minute, what: 'createPods', why: '1 of 4 pods is missing' },
        ],
      },
    ],
    [
      parked,
      {
        ...none,
        because: [
          'parked after 5 restarts: no pod has index 7; a new spec, unpark or the end of its ' +
            'object ends that',
        ],
      },
    ],
    [
      'podcliqueset/inference/deepseek-r1',
      {
        ...none,
        because: [
          'PodClique deepseek-r1-0-engine-1-worker: 2 of at least 4 pods ready, 2 scheduled',
        ],
      },
    ],
    [
      'podgang/inference/deepseek-r1-0',
      {
        ...none,
        because: [
          'PodGang deepseek-r1-0 is not scheduled: too few pods are scheduled: ' +
            'deepseek-r1-0-engine-1-worker has 2 of 4 (3 of 3 PodCliques)',
        ],
      },
    ],
    [restarting, { ...none, because: ['waiting: it crashed and is started again in 8s'] }],
  ];
}

const stateOfStuck = (now: number): object => ({
  key: stuck,
  machine: 'podclique',
  mode: 'alive',
  value: states.cliqueUnscheduled,
  uid: '5f0a8c1e-6f5b-4a53-9d0e-0d6a4b1c2d3e',
  generation: 3,
  restarts: 0,
  parked: false,
  error: '',
  mailbox: 1,
  wakesAt: now + 42_000,
  state: {
    replicas: 4,
    minAvailable: 4,
    scheduled: 2,
    ready: 2,
    template: 'w5x8d7',
    gang: 'deepseek-r1-0',
    pods: [
      { name: 'deepseek-r1-0-engine-1-worker-j7f8c', index: 0, phase: 'Pending', node: '' },
      { name: 'deepseek-r1-0-engine-1-worker-nv7sz', index: 1, phase: 'Running', node: 'gpu-07' },
      { name: 'deepseek-r1-0-engine-1-worker-lbvh4', index: 2, phase: 'Running', node: 'gpu-09' },
    ],
  },
});

let placeOfNext = 0;

const fact = (about: string, at: number, what: string, data: FactRow['data']): FactRow => {
  const sequence = ++placeOfNext;
  return { sequence, id: `k3x-${sequence}`, cause: '', trace: '', at, about, what, data };
};

/** Of the last quarter of an hour, of all of them. */
function earlierFacts(rows: readonly FakeRow[], now: number): readonly FactRow[] {
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

/** An edit of a template, and what followed. */
export function rolloutFacts(now: number): readonly FactRow[] {
  const start = now - 4 * minute;
  const set = 'podcliqueset/inference/llama-70b';
  const rows: FactRow[] = [];
  const add = (
    about: string,
    after: number,
    cause: number,
    what: string,
    data: FactRow['data'],
  ): number => {
    const id = 100 + rows.length;
    rows.push({
      sequence: 100_000 + rows.length,
      id: `k3x-${id}`,
      cause: cause === 0 ? '' : `k3x-${cause}`,
      trace,
      at: start + after,
      about,
      what,
      data,
    });
    return id;
  };
  const edit = add(set, 0, 0, 'observed', {
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
  const moved = add(set, 2, edit, 'transition', {
    from: { active: { rollout: 'current', readiness: 'ready' } },
    to: { active: { rollout: 'replacing', readiness: 'updating' } },
    event: 'reconcile',
  });
  add(set, 14, moved, 'wrote', {
    op: 'status',
    object: 'PodCliqueSet/inference/llama-70b',
    outcome: 'ok',
    reason: 'status changed',
    ms: 11,
  });
  for (let step = 0; rows.length < rolloutSize; step++) {
    const clique = `podclique/inference/llama-70b-1-engine-${step % 3}-${step % 2 === 0 ? 'leader' : 'worker'}`;
    const at = 20 + step * 41;
    const woken = add(clique, at, moved, 'woken', {
      view: 'setTemplate',
      key: 'inference/llama-70b',
      value: 'template w5x8d7',
    });
    const decided = add(clique, at + 1, woken, 'decided', {
      what: 'replacePod',
      why: `pod ${step} is of an older template`,
    });
    const isConflict = step % 17 === 9;
    add(clique, at + 22, decided, 'wrote', {
      op: 'delete',
      object: `Pod/inference/llama-70b-1-engine-${step % 3}-${step}`,
      outcome: isConflict ? 'CONFLICT' : 'ok',
      reason: 'older template',
      ms: 18 + (step % 9),
    });
    if (step % 2 === 0) {
      add(clique, at + 24, decided, 'transition', {
        from: { active: { rollout: 'waiting' } },
        to: { active: { rollout: 'replacing' } },
        event: 'reconcile',
      });
    }
  }
  return rows.slice(0, rolloutSize);
}
