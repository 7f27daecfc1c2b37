// `npm run bench -- pick`: what a warm queue asks for its operations with 10 members and with
// 10,000, beside what is asked by listing all Sandboxes at each pick. In this process, no cluster.
import type { QueueKey } from '#machines/agentsandbox/warmpool/queue/fifo.ts';
import { WarmQueue } from '#machines/agentsandbox/warmpool/queue/queue.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { median } from './statistics.ts';
import { aligned } from './table.ts';

export interface PickCommand {
  readonly command: 'pick';
  readonly nodes: readonly number[];
  readonly operations: number;
  readonly repeat: number;
}

const few = 10;
const many = 10_000;
/** So much more may an operation cost with many members than with few. */
const limit = 1.5;

const acts = ['pick', 'take', 'push', 'move', 'remove'] as const;
type Act = (typeof acts)[number];
type Costs = Readonly<Record<Act, number>>;

interface Subject {
  pick(): QueueKey | undefined;
  take(): QueueKey | undefined;
  push(key: QueueKey): void;
  remove(name: string): void;
}

class Queue implements Subject {
  #queue = WarmQueue.of();
  pick = () => this.#queue.pick();
  take() {
    const { chosen, rest } = this.#queue.choose(() => 'take');
    this.#queue = rest;
    return chosen;
  }
  push(key: QueueKey) {
    this.#queue = this.#queue.add(key);
  }
  remove(name: string) {
    this.#queue = this.#queue.remove(name);
  }
}

/** All Sandboxes are in a Map, as in a cache, and each pick counts them. */
class Listing implements Subject {
  readonly #sandboxes = new Map<string, QueueKey>();
  pick() {
    const counts = new Map<string, number>();
    for (const { nodeName } of this.#sandboxes.values()) {
      if (nodeName !== '') counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    const all = [...this.#sandboxes.values()];
    return all.find(({ nodeName }) => counts.get(nodeName) === most) ?? all[0];
  }
  take() {
    const key = this.pick();
    if (key !== undefined) this.#sandboxes.delete(key.name);
    return key;
  }
  push(key: QueueKey) {
    this.#sandboxes.set(key.name, key);
  }
  remove(name: string) {
    this.#sandboxes.delete(name);
  }
}

interface Load {
  readonly make: () => Subject;
  readonly members: number;
  /** Each operation is on one of so many, by chance. */
  readonly subjects: number;
  /** Of the operations of the command; listing takes its time. */
  readonly share: number;
}

/** A thousand small queues have as many keys in memory as the large one: memory that is farther
 *  away costs any structure more, a Map too, and `alone` shows how much. */
const loads = {
  few: { make: () => new Queue(), members: few, subjects: many / few, share: 1 },
  many: { make: () => new Queue(), members: many, subjects: 1, share: 1 },
  alone: { make: () => new Queue(), members: few, subjects: 1, share: 1 },
  fewListed: { make: () => new Listing(), members: few, subjects: many / few, share: 1 },
  manyListed: { make: () => new Listing(), members: many, subjects: 1, share: 1 / 50 },
} as const satisfies Record<string, Load>;
const loadNames = ['few', 'many', 'alone', 'fewListed', 'manyListed'] as const;

/** Medians in nanoseconds, less what a look at the clock takes. */
function measure({ make, members, subjects }: Load, nodes: number, times: number): Costs {
  const random = seeded(1);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  let made = 0;
  const keyOn = (nodeName: string): QueueKey => ({ name: `pool-${made++}-x7k2p`, nodeName });
  const someNode = (): string => `node-${below(nodes)}`;
  const all = Array.from({ length: subjects }, () => {
    const keys = Array.from({ length: members }, (_, at) => keyOn(`node-${at % nodes}`));
    const subject = make();
    for (const key of keys) subject.push(key);
    return { subject, keys };
  });
  const clock = new Clock();
  for (let time = 0; time < times; time++) {
    const { subject, keys } = all[below(subjects)] ?? { subject: make(), keys: [] };
    const pushed = keyOn(someNode());
    const [leaving, moving] = [below(members), below(members)];
    const { name, nodeName } = keys[moving] ?? pushed;
    // Where there is one node, from it to none and back.
    const moved = { name, nodeName: nodes === 1 && nodeName !== '' ? '' : someNode() };
    keys[moving] = moved;
    const left = keys[leaving] ?? pushed;
    keys[leaving] = pushed;
    // Whose turn it is was looked at: of many subjects the one at hand is not near.
    subject.pick();
    clock.time('nothing', () => undefined);
    clock.time('pick', () => subject.pick());
    clock.time('push', () => subject.push(pushed));
    clock.time('move', () => subject.push(moved));
    clock.time('remove', () => subject.remove(left.name));
    const taken = clock.time('take', () => subject.take());
    if (taken !== undefined) subject.push({ name: taken.name, nodeName: someNode() });
  }
  return clock.costs();
}

class Clock {
  readonly #samples: Record<Act | 'nothing', number[]> = {
    nothing: [],
    pick: [],
    take: [],
    push: [],
    move: [],
    remove: [],
  };

  time<T>(what: Act | 'nothing', act: () => T): T {
    const start = performance.now();
    const result = act();
    this.#samples[what].push((performance.now() - start) * 1e6);
    return result;
  }

  costs(): Costs {
    const cost = (act: Act): number => Math.max(1, this.#middle(act) - this.#middle('nothing'));
    const [pick, take, push] = [cost('pick'), cost('take'), cost('push')];
    return { pick, take, push, move: cost('move'), remove: cost('remove') };
  }

  /** The first half warms up. */
  #middle(what: Act | 'nothing'): number {
    const samples = this.#samples[what];
    return median(samples.slice(samples.length >> 1));
  }
}

/** The exit code. */
export function pick(command: PickCommand, say: (line: string) => void): number {
  const rows = command.nodes.flatMap((nodes) => rowsOn(nodes, command, say));
  say(
    aligned([
      ['ns', 'nodes', '10', '10,000', 'ratio', '10 alone', 'listing 10', 'listing 10,000'],
      ...rows.map(({ act, nodes, ratio, few, many, alone, fewListed, manyListed }) =>
        [act, nodes, few, many, ratio.toFixed(2), alone, fewListed, manyListed].map(String),
      ),
    ]),
  );
  process.stdout.write(`${JSON.stringify({ ...command, limit, rows })}\n`);
  return rows.every(({ ratio }) => ratio <= limit) ? 0 : 1;
}

/** The loads in turns, so that what else the machine does falls on all of them. */
function rowsOn(nodes: number, command: PickCommand, say: (line: string) => void) {
  const runs = Array.from({ length: command.repeat }, (_, run) => {
    say(`${nodes} nodes, run ${run + 1} of ${command.repeat}`);
    return loadNames.map((name) => {
      const { share } = loads[name];
      return measure(loads[name], nodes, Math.ceil(command.operations * share));
    });
  });
  return acts.map((act) => {
    const [few = 1, many = 1, alone = 1, fewListed = 1, manyListed = 1] = loadNames.map((_, at) =>
      Math.round(median(runs.map((costs) => costs[at]?.[act] ?? 1))),
    );
    return { act, nodes, ratio: many / few, few, many, alone, fewListed, manyListed };
  });
}
