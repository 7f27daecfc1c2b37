// A bad morning in a made-up cluster: what the tests of the page look at, and what its pictures
// show. Times are told by the moment at which it begins.
import type { FakeInspector } from './fake.ts';
import { type FakeRow, setOf, states } from './rows.ts';
import { answersAt, stateOfStuck } from './scene-answers.ts';
import { earlierFacts, rolloutFacts } from './scene-facts.ts';
import { minute, parked, restarting, stuck } from './scene-ids.ts';

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
  return [...sets.map((row) => ({ ...row, ...changed[row.id] })), ...othersAt(now)];
}

/** Of the other modules. */
function othersAt(now: number): readonly FakeRow[] {
  const hours = (count: number): number => now - count * 60 * minute;
  return [
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
