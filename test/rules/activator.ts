// What the activator's tables of pods and their actors are held to: the requirements that the
// review of the system behind its seed led to, the properties of random histories, what is measured
// (spec activator 3, 5.5 and 6), and the history of Knative's. A line each, by number; `without`:
// why no test carries it.
import { history, type Row } from './activator-history.ts';

const requirements: readonly Row[] = [
  'what a request needs of its pod is read at its admission, and its slot is told by a generation',
  'slots for any number of pods are finite and planned, not allocated',
  'every drain ends with one release, whatever ends it',
  'a drain is event-driven, with one deadline for all',
  'the lowest hole is found in less than linear time',
  'a trim looks at no more slots than were released',
  'the trim rule has its examples, and memory is given back after a scale-down',
  'slots are neither lost nor given twice, however adds and removes come',
  'everything at once, for long, breaks no invariant and leaks nothing',
  'nothing that is needed is a variable of a module',
  'times have one unit, and restarts back off by it',
  'the trim threshold is a named option with bounds',
  'the trim threshold counts all holes',
  'a new pod is validated before it has a slot',
  'a pod at a reused address is not promoted',
  'fragmentation is a metric, 0 for an empty table and gone with its revision',
  'a crash of the actor costs no request',
  'who asks an actor that crashes is answered',
  'a snapshot of the endpoints is one line of the log',
  'a snapshot that is known costs no memory that grows with the pods',
  ['performance is held by gates', '`npm run bench -- activator-micro` has them, as ratios'],
  [
    'the trim rule is documented by examples from the code',
    '`npm run surface` writes them, and the tidy test compares',
  ],
  'bytes for each slot are documented as measured',
  ['positions are called index, generations gen', 'the glossary: a matter of names'],
  'capacity counts routable pods alone',
  'loops over the table skip holes',
  'policies look at the state of a pod and allocate nothing',
  'defaults are in one place',
  'that the actor does not keep up shows',
  ['the tests are quick and without races', 'the clock is virtual, and `npm run deflake` shuffles'],
  ['fragmentation is watched, and holes are found fast', 'R-5 and R-16 show both'],
];

const properties: readonly Row[] = [
  'taking and releasing slots is as the naive table has it',
  'so is the high-water mark',
  'a snapshot that comes twice is as one, and survivors stay where they are',
  'the order of a snapshot does not matter',
  'no request gets a hole, a pod in another state or a full one',
  'chance is equal for all candidates',
  'the pod with the most requests is never the choice of two, and loads stay even',
  'first available is the lowest slot',
  'round robin gives all the same',
  'least loaded takes the fewest, and visits all of equal load',
  'no pod gets more requests than its limit, and nobody waits while there is a permit',
  'no wake-up is lost',
  'requests are admitted in the order in which they came',
  'whoever cancels leaves the others in order',
  'while capacity comes and goes each request is answered once',
  'a late completion changes no other pod',
  'after a crash at any step all invariants hold',
  'counters come back to zero when all requests have ended',
  'of pods that share an address the latest identity alone becomes ready',
  'the pods that are stale, and they alone, are removed',
  'a close at any time leaves nothing behind',
  'slices are all pods together, and equally large',
  'what is reported is the exact integral of concurrency',
];

/** Spec activator 6: what is measured, and what must hold of it on any machine. */
const micro = '`npm run bench -- activator-micro` holds it to a gate';
const benches: readonly (readonly [number: number, row: Row])[] = [
  [1, ['a request is admitted at the same cost for any number of pods', micro]],
  [2, ['holes and pods that are not ready cost nothing', micro]],
  [3, ['a table without permits says so at once', micro]],
  [4, ['a wait costs the same however many wait', micro]],
  [5, 'a large backlog is woken in pieces'],
  [6, ['a pod is added and removed at the same cost in any table', micro]],
  [7, ['a snapshot costs what it has pods', micro]],
  [8, 'a trim looks at few slots'],
  [
    9,
    ['a burst of events is taken in', 'it is measured for all actors together: docs/benchmarks.md'],
  ],
  [10, ['reports to an autoscaler cost little', 'whoever reports measures it']],
  [
    11,
    ['limits of time cost little', '`npm run bench -- activator-proxy` has them in all figures'],
  ],
  [12, ['the chain of handlers costs little', '`npm run bench -- activator-proxy` measures it']],
  [20, 'the first request without a pod is answered when one is there'],
  [21, 'requests without a pod are served in order'],
  [22, 'many revisions that wake at once do not hold each other up'],
  [23, 'whoever finds the queue full is told at once'],
  [30, 'pods that come and go lose no request'],
  [31, 'nor does a rollout'],
  [32, 'nor does a revision that shrinks to one pod and grows, and no slot leaks'],
  [33, 'a pod that is not ready gets no new request'],
  [34, 'a pod that is killed fails no more than it had'],
  [35, 'a pod at a reused address gets no request of another revision'],
  [36, 'a storm of endpoints loses no request'],
  [37, 'an actor that crashes under load loses no request'],
  [38, 'an activator that drains loses no request'],
  [39, 'clients that go away leave nothing behind'],
];

const numbered = (prefix: string, rows: readonly Row[]) =>
  rows.map((row, index) => ruleOf(`${prefix}-${index + 1}`, row));

function ruleOf(id: string, row: Row) {
  const [text, without] = typeof row === 'string' ? [row, undefined] : row;
  return { id, text, ...(without === undefined ? {} : { without }) };
}

export const activatorRules = [
  ...numbered('R', requirements),
  ...numbered('P', properties),
  ...numbered('H', history),
  ...benches.map(([number, row]) => ruleOf(`B-${number}`, row)),
];
