// The steps of `coppice bench` and what is measured of each: milestones from the objects as the API
// server tells of them, and every change of a pod, gang or set on one line of time.
import { at, count, text } from '#machines/kubernetes/json.ts';
import { conditionOf, type Onlooker, type Sight } from './onlooker.ts';

export interface Moment {
  /** Seconds since the run began. */
  readonly at: number;
  readonly resource: string;
  readonly name: string;
  /** `created`, `scheduled`, `ready`, `changed`, `deleted`. */
  readonly what: string;
}

export interface Step {
  readonly step: string;
  /** Seconds since the run began. */
  readonly start: number;
  readonly end: number;
  /** Seconds since the start of the step, of the last one of each that there was. */
  readonly milestones: Readonly<Record<string, number>>;
  /** Changes that the API server told of, by resource. */
  readonly changes: Readonly<Record<string, number>>;
}

/** Looks on at one namespace for the whole run. */
export class Steps {
  readonly moments: Moment[] = [];
  readonly steps: Step[] = [];
  readonly #onlooker: Onlooker;
  readonly #namespace: string;
  readonly #begun = performance.now();
  readonly #known = new Map<string, string>();

  constructor(onlooker: Onlooker, namespace: string) {
    this.#onlooker = onlooker;
    this.#namespace = namespace;
    onlooker.onSight((sight) => this.#take(sight));
  }

  /** Acts, waits until the claim holds and notes what came to be meanwhile. */
  async step(name: string, act: () => Promise<unknown>, until: Until): Promise<Step> {
    const from = this.moments.length;
    const start = this.#now();
    await act();
    await this.#onlooker.until(until.what, until.holds, () => this.counts(), until.limitMs);
    const end = this.#now();
    const seen = this.moments.slice(from);
    const step = {
      step: name,
      start,
      end,
      milestones: { ...milestonesOf(seen, start), done: rounded(end - start) },
      changes: changesOf(seen),
    };
    this.steps.push(step);
    return step;
  }

  counts(): Readonly<Record<string, number>> {
    const resources = ['podcliquesets', 'podcliques', 'podgangs', 'pods'] as const;
    const there = resources.map(
      (resource) => [resource, this.#onlooker.all(resource, this.#namespace).size] as const,
    );
    return { ...Object.fromEntries(there), ready: this.#onlooker.readyPods(this.#namespace) };
  }

  #now(): number {
    return rounded((performance.now() - this.#begun) / 1_000);
  }

  #take({ resource, type, name, object, namespace }: Sight): void {
    if (namespace !== this.#namespace) return;
    const key = `${resource}/${name}`;
    const now = type === 'DELETED' ? 'deleted' : stateOf(resource, object);
    const before = this.#known.get(key);
    if (now === 'deleted') this.#known.delete(key);
    else this.#known.set(key, now);
    const what = before === undefined && now !== 'deleted' ? 'created' : now;
    this.moments.push({
      at: this.#now(),
      resource,
      name,
      what: what === before ? 'changed' : what,
    });
  }
}

export interface Until {
  /** For the message of a time-out. */
  readonly what: string;
  readonly holds: () => boolean;
  readonly limitMs: number;
}

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

function stateOf(resource: string, object: unknown): string {
  if (conditionOf(object, 'Ready') === 'True') return 'ready';
  if (resource === 'podgangs')
    return text(at(object, 'status', 'phase')).toLowerCase() || 'created';
  if (resource !== 'pods') return 'changed';
  return at(object, 'spec', 'nodeName') === undefined ? 'created' : 'scheduled';
}

function milestonesOf(seen: readonly Moment[], start: number): Record<string, number> {
  const last: Record<string, number> = {};
  for (const { at: seconds, resource, what } of seen) {
    if (resource === 'pods' && what !== 'changed') last[`pods_${what}`] = rounded(seconds - start);
    if (resource === 'podgangs' && what === 'running')
      last['podgangs_running'] = rounded(seconds - start);
  }
  return last;
}

function changesOf(seen: readonly Moment[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { resource } of seen) counts[resource] = (counts[resource] ?? 0) + 1;
  return counts;
}

/** As `status.availableReplicas` of the set says. */
export const availableReplicas = (onlooker: Onlooker, namespace: string, name: string): number =>
  count(at(onlooker.one('podcliquesets', namespace, name), 'status', 'availableReplicas')) ?? 0;
