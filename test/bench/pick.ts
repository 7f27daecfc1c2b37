// `npm run bench -- pick`: what the operations of a warm queue cost with 10 members and with
// 10,000, and what it costs to list all Sandboxes at each pick instead. Runs in this process,
// without a cluster; the report has it too (report/pick.ts).
import type { QueueKey } from '#machines/agentsandbox/warmpool/queue/fifo.ts';
import { WarmQueue } from '#machines/agentsandbox/warmpool/queue/queue.ts';
import { median, type Result } from './statistics.ts';
import { aligned } from './table.ts';

export interface PickCommand {
  readonly command: 'pick';
  readonly nodes: readonly number[];
  readonly repeat: number;
}

export const usualPick = { nodes: [1, 100, 1000], repeat: 31 } as const;

const few = 10;
const many = 10_000;
/** So many times what it costs with few members an operation may cost with many. */
export const limit = 1.5;

const operations = ['pick', 'take', 'push', 'move', 'remove'] as const;
/** To compare with: the pick by a list of all, and a Map that finds an entry and replaces it. */
const others = ['listing', 'map'] as const;
export const acts = [...operations, ...others] as const;
/** Nanoseconds an operation. */
type Costs = Readonly<Record<(typeof acts)[number], number>>;

interface Load {
  readonly members: number;
  /** Queues at once in memory. */
  readonly queues: number;
  /** One after the other. */
  readonly times: number;
}

/** A thousand small queues are as much memory as the large one; what one of them costs that is
 *  alone in the cache is shown too. */
const loads = {
  few: { members: few, queues: many / few, times: 1 },
  many: { members: many, queues: 1, times: 1 },
  alone: { members: few, queues: 1, times: many / few },
} as const satisfies Record<string, Load>;

/** The exit code. */
export function pick(command: PickCommand, say: (line: string) => void): number {
  const rows = command.nodes.flatMap((nodes) => rowsOn(nodes, command.repeat));
  say(
    aligned([
      ['ns', 'nodes', '10', '10,000', 'ratio', '10 alone'],
      ...rows.map(({ act, nodes, ratio, ...ns }) =>
        [act, nodes, ns.few, ns.many, ratio.toFixed(2), ns.alone].map(String),
      ),
    ]),
  );
  process.stdout.write(`${JSON.stringify({ ...command, limit, rows })}\n`);
  const grown = rows.filter(
    ({ act, ratio }) => operations.some((one) => one === act) && ratio > limit,
  );
  for (const { act, nodes, ratio } of grown) {
    const map = mapRatio(rows, nodes).toFixed(2);
    say(`${act} on ${nodes} nodes: ${ratio.toFixed(2)} is more than ${limit}; a Map alone: ${map}`);
  }
  return grown.every(({ nodes, ratio }) => ratio <= mapRatio(rows, nodes)) ? 0 : 1;
}

/** The same for the report, by act. */
export function pickResult(nodes: number): Result {
  const figures = rowsOn(nodes, usualPick.repeat).flatMap(({ act, ratio, ...ns }) => [
    [`${act}_few_ns`, ns.few] as const,
    [`${act}_many_ns`, ns.many] as const,
    [`${act}_alone_ns`, ns.alone] as const,
    [`${act}_ratio`, Number(ratio.toFixed(2))] as const,
  ]);
  return { nodes, ...Object.fromEntries(figures) };
}

/** Where memory is so slow that a Map alone costs more, whatever finds keys by name does so too. */
const mapRatio = (rows: readonly Row[], nodes: number): number =>
  rows.find((row) => row.act === 'map' && row.nodes === nodes)?.ratio ?? 0;

type Row = ReturnType<typeof rowsOn>[number];

/** The loads in turns, so that what else the machine does falls on all of them. */
function rowsOn(nodes: number, repeat: number) {
  const runs = Array.from({ length: repeat + 3 }, () => ({
    few: costs(loads.few, nodes),
    many: costs(loads.many, nodes),
    alone: costs(loads.alone, nodes),
  })).slice(3); // The first compile the code.
  return acts.map((act) => {
    const ns = (load: keyof typeof loads): number =>
      Math.round(median(runs.map((run) => run[load][act])));
    const cost = { few: ns('few'), many: ns('many'), alone: ns('alone') };
    return { act, nodes, ratio: cost.many / cost.few, ...cost };
  });
}

function costs({ members, queues, times }: Load, nodes: number): Costs {
  const lives = Array.from({ length: times }, () => live(members, queues, nodes));
  const mean = (act: keyof Costs): number =>
    lives.reduce((sum, one) => sum + one[act], 0) / lives.length;
  return {
    pick: mean('pick'),
    take: mean('take'),
    push: mean('push'),
    move: mean('move'),
    remove: mean('remove'),
    listing: mean('listing'),
    map: mean('map'),
  };
}

/** Pools are filled; their members are bound to nodes; claims look, and take all of them; the pools
 *  are filled again, and all members are deleted. */
function live(members: number, queues: number, nodes: number): Costs {
  // Each time another string, as an event brings it.
  const keysOn = (nodeOf: (at: number) => string): readonly QueueKey[] =>
    Array.from({ length: members }, (_, at) => ({
      name: `pool-${at}-x7k2p`,
      nodeName: nodeOf(at),
    }));
  const pools = Array.from({ length: queues }, () => ({
    queue: WarmQueue.of(),
    map: new Map<string, QueueKey>(),
    pushed: keysOn(() => ''),
    bound: keysOn((at) => `node-${at % nodes}`),
    again: keysOn((at) => `node-${at % nodes}`),
    gone: keysOn(() => ''),
  }));
  type Pool = (typeof pools)[number];
  const timed = (times: number, act: (pool: Pool) => void): number => {
    const start = performance.now();
    pools.forEach(act);
    return ((performance.now() - start) * 1e6) / (queues * times);
  };
  const each = (keys: Keys, act: (queue: WarmQueue, key: QueueKey) => WarmQueue): number =>
    timed(members, (pool) => {
      for (const key of pool[keys]) pool.queue = act(pool.queue, key);
    });
  const push = each('pushed', (queue, key) => queue.add(key));
  const move = each('bound', (queue, key) => queue.add(key));
  const pick = each('bound', (queue) => (queue.pick() === undefined ? WarmQueue.of() : queue));
  const listing = timed(1, ({ bound }) => pickFrom(bound));
  const take = each('bound', (queue) => queue.remove(queue.pick()?.name ?? ''));
  each('again', (queue, key) => queue.add(key));
  const remove = each('gone', (queue, { name }) => queue.remove(name));
  for (const { map, pushed } of pools) pushed.forEach((key) => map.set(key.name, key));
  const map = timed(members, ({ map, again }) => {
    for (const key of again) map.set(map.get(key.name)?.name ?? key.name, { ...key });
  });
  return { pick, take, push, move, remove, listing, map };
}

type Keys = 'pushed' | 'bound' | 'again' | 'gone';

/** By a list of all Sandboxes, as it would be at each claim. */
function pickFrom(sandboxes: readonly QueueKey[]): QueueKey | undefined {
  const counts = new Map<string, number>();
  for (const { nodeName } of sandboxes) {
    if (nodeName !== '') counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  return sandboxes.find(({ nodeName }) => counts.get(nodeName) === most) ?? sandboxes[0];
}
