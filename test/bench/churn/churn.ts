// The churn benchmark: half of the replicas and back, again and again, for as long as is asked for.
// By turns a set is scaled and a second one is created and deleted. In each cycle the same script
// creates and deletes as many bare pods, the floor of what a deletion takes. Nothing may grow: not
// the times, not what the controller holds when it rests.
import { defaultLimits } from '#actors/limits.ts';
import { maxEnds } from '#src/kube/limits.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { must } from '#test/support/workload.ts';
import type { Harness } from '../harness.ts';
import { machineMs } from '../observer/claims.ts';
import type { Result } from '../statistics.ts';
import { aligned } from '../table.ts';
import {
  deploy,
  namespace,
  podSpec,
  podsPerReplica,
  remove,
  scale,
  settledAt,
} from '../workload.ts';
import type { World } from '../world.ts';
import { judge, type Judgement, type Tolerance } from './judge.ts';
import { Reader } from './readings.ts';

export interface ChurnOptions {
  readonly replicas: number;
  readonly minutes: number;
  /** At most so many, for trying it out. */
  readonly cycles?: number | undefined;
  /** Requests of the floor. */
  readonly floorInFlight: number;
  readonly say: (line: string) => void;
}

/** How the page of figures has it. */
export const usualChurn = { replicas: 50, minutes: 30, quietSeconds: 1 } as const;

/** Share of the cycles that is not judged, the first ones: code is compiled, sockets are opened. */
const warmUp = 1 / 3;

/** PodClique, PodGang and Service, and the pods. */
const objectsPerReplica = 3 + podsPerReplica;

/** What the controller remembers of objects that are gone, so that late events bring nothing back,
 *  and how much of it a replica leaves: UIDs, ends by kind, and pods whose watch selects by label.
 *  Its heap is judged once it has as many of each as it keeps. */
const memories = [
  { most: defaultLimits.tombstones, perReplica: objectsPerReplica },
  { most: maxEnds, perReplica: 1 },
  { most: defaultLimits.tombstones, perReplica: podsPerReplica },
] as const;

const ways = ['scale', 'delete'] as const;
type Way = (typeof ways)[number];

/** Seconds of a cycle. */
interface Times {
  /** From the last pod bound to the set's status. */
  readonly status_s: number;
  /** From the scale-in or the deletion to the last pod gone, less what the floor takes. */
  readonly gone_above_floor_s: number;
}

const tolerances = {
  status_s: { absolute: 0.1, relative: 0.1 },
  gone_above_floor_s: { absolute: 0.1 },
  heap_mb: { absolute: 0, relative: 0.05 },
  sockets: { absolute: 4 },
  timers: { absolute: 4 },
  actors: { absolute: 0 },
} as const satisfies Readonly<Record<string, Tolerance>>;
type Figure = keyof typeof tolerances;

/** Resolves with flat keys; `growing` names what grew, and is empty where nothing did. */
export async function runChurn(
  world: World,
  harness: Harness,
  options: ChurnOptions,
): Promise<Result> {
  const { replicas, minutes, cycles = Infinity, say } = options;
  const controller = await world.startController();
  const reader = await Reader.open(controller);
  const cycle = new Cycle(world, harness, options);
  await cycle.begin();
  const series = new Map<string, number[]>();
  const until = machineMs() + minutes * 60_000;
  const gone = replicas - Math.floor(replicas / 2);
  const filled = Math.max(...memories.map(({ most, perReplica }) => most / perReplica / gone));
  let count = 0;
  for (; machineMs() < until && count < cycles; count++) {
    const way = ways[count % ways.length] ?? 'scale';
    const times = await cycle.run(way);
    const readings = await reader.read();
    say(`${count + 1}: ${way}, ${inWords({ ...times, ...readings })}`);
    for (const [figure, value] of Object.entries(times)) add(series, `${way}_${figure}`, value);
    for (const [figure, value] of Object.entries(readings)) add(series, figure, value);
  }
  reader.close();
  await controller.stop();
  const judged = [...series].map(([key, values]) => {
    const warm = Math.floor(values.length * warmUp);
    const from = key === 'heap_mb' ? Math.max(warm, Math.ceil(filled)) : warm;
    return [key, judge(values.slice(from), toleranceOf(key))] as const;
  });
  say(`\n${judgementTable(judged)}`);
  const growing = judged.filter(([, { verdict }]) => verdict === 'growing').map(([key]) => key);
  const figures = judged.flatMap(([key, judgement]) => figuresOf(key, judgement));
  return {
    replicas,
    minutes,
    cycles: count,
    ...Object.fromEntries(figures),
    growing: growing.join(),
  };
}

const add = (series: Map<string, number[]>, key: string, value: number): void =>
  void series.set(key, [...(series.get(key) ?? []), value]);

const inWords = (figures: object): string =>
  Object.entries(figures)
    .map(([figure, value]) => `${figure} ${value}`)
    .join(', ');

const toleranceOf = (key: string): Tolerance =>
  tolerances[key.replace(/^(?:scale|delete)_/, '') as Figure];

const round = (value: number): number => Math.round(value * 1000) / 1000;

const figuresOf = (key: string, { first, last, growth, error, verdict }: Judgement) =>
  [
    [`${key}_first`, round(first)],
    [`${key}_last`, round(last)],
    ...(error === Infinity
      ? []
      : ([
          [`${key}_growth`, round(growth)],
          [`${key}_error`, round(error)],
        ] as const)),
    [`${key}_verdict`, verdict],
  ] as const;

function judgementTable(judged: readonly (readonly [string, Judgement])[]): string {
  const headings = ['', 'first third', 'last third', 'growth', '95 %, +-', ''];
  const rows = judged.map(([key, { first, last, growth, error, verdict }]) => [
    key,
    ...[first, last, growth, error].map((value) => String(round(value))),
    verdict,
  ]);
  return aligned([headings, ...rows]);
}

class Cycle {
  readonly #harness: Harness;
  readonly #client: KubeTransport;
  readonly #floor: KubeTransport;
  readonly #all: number;
  readonly #half: number;
  #floors = 0;

  constructor(world: World, harness: Harness, { replicas, floorInFlight }: ChurnOptions) {
    this.#harness = harness;
    this.#client = world.client;
    this.#floor = world.connect(floorInFlight);
    this.#all = replicas;
    this.#half = Math.floor(replicas / 2);
  }

  async begin(): Promise<void> {
    const up = this.#settledAt(this.#half);
    await this.#harness.phase('begin', () => deploy(this.#client, this.#half), { up_s: up });
  }

  async run(way: Way): Promise<Times> {
    const status_s = await this.#up(way);
    const gone = await this.#down(way);
    const floor = await this.#floorGone();
    return { status_s, gone_above_floor_s: round(gone - floor) };
  }

  async #up(way: Way): Promise<number> {
    const more = this.#all - this.#half;
    const act = (): Promise<unknown> =>
      way === 'scale' ? scale(this.#client, this.#all) : deploy(this.#client, more, 'second');
    const { milestones } = await this.#harness.phase(`${way}_up`, act, {
      bound_s: { podsBound: { is: this.#all * podsPerReplica } },
      available_s: { replicasAvailable: { is: this.#all } },
      up_s: this.#settledAt(this.#all),
    });
    return round((milestones['available_s'] ?? 0) - (milestones['bound_s'] ?? 0));
  }

  async #down(way: Way): Promise<number> {
    const act = (): Promise<unknown> =>
      way === 'scale' ? scale(this.#client, this.#half) : remove(this.#client, 'second');
    const { milestones } = await this.#harness.phase(`${way}_down`, act, {
      gone_s: { podsAlive: { is: this.#half * podsPerReplica } },
      down_s: this.#settledAt(this.#half),
    });
    return milestones['gone_s'] ?? 0;
  }

  /** As many pods as a cycle deletes, and nobody's. */
  async #floorGone(): Promise<number> {
    const rest = this.#half * podsPerReplica;
    const count = this.#all * podsPerReplica - rest;
    const mark = this.#floors++;
    const names = Array.from({ length: count }, (_, index) => `floor-${mark}-${index}`);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const create = (name: string): Promise<unknown> => {
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec };
      return must(this.#floor, { method: 'POST', path, body });
    };
    const end = (name: string): Promise<unknown> =>
      must(this.#floor, { method: 'DELETE', path: `${path}/${name}` });
    await this.#harness.phase('floor_up', () => Promise.all(names.map(create)), {
      ready_s: { podsReady: { is: rest + count } },
    });
    const { milestones } = await this.#harness.phase(
      'floor_down',
      () => Promise.all(names.map(end)),
      { gone_s: { podsAlive: { is: rest } } },
    );
    return milestones['gone_s'] ?? 0;
  }

  #settledAt(replicas: number) {
    return { ...settledAt(replicas), replicasAvailable: { is: replicas } };
  }
}
