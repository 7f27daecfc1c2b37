// A set that stands while something happens to the controllers, with others beside it that are
// scaled all the time: no pod of it may be touched, and it may not be less ready for a moment. Used
// by the tests about more than one process.
import { deepEqual, equal } from 'node:assert/strict';
import { at, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import { manifest, pairs, podsOf, type SetWanted } from './sets.ts';
import type { Stage } from './stage.ts';

const busy = ['busy-a', 'busy-b', 'busy-c'] as const;
const goneMs = 120_000;

export class Standing {
  readonly namespace: string;
  readonly wanted: SetWanted;
  readonly onlooker: Onlooker;
  readonly #stage: Stage;
  readonly #over = new AbortController();

  constructor(stage: Stage, namespace: string, wanted: SetWanted) {
    this.#stage = stage;
    this.namespace = namespace;
    this.wanted = wanted;
    this.onlooker = new Onlooker(stage.transport);
  }

  /** Deploys the set; resolves when it is ready. */
  async begin(): Promise<void> {
    await this.onlooker.synced;
    await this.#stage.kube.create(this.namespace, 'podcliquesets', manifest(this.wanted));
    await this.#stage.ready(this.namespace, this.wanted);
  }

  /** Once: scales others up and down until told to end, and then takes them away; resolves with how
   *  often they were scaled. */
  load(): () => Promise<number> {
    const working = this.#work(this.#over.signal);
    // Where the test fails first nobody asks.
    working.catch(() => {});
    return () => {
      this.#over.abort();
      return working;
    };
  }

  /** Whatever happens, these pods stay, ready all the time. */
  async untouched(happen: () => Promise<unknown>): Promise<void> {
    const before = this.#pods();
    equal(before.length, podsOf(this.wanted));
    const seen: string[] = [];
    const unlook = this.onlooker.onSight(({ type, resource, namespace, name, object }) => {
      if (namespace !== this.namespace || !this.#isOurs(name)) return;
      if (resource === 'pods') seen.push(`${type} pod ${name}`);
      const available = at(object, 'status', 'availableReplicas');
      const isLess = resource === 'podcliquesets' && available !== this.wanted.replicas;
      if (isLess) seen.push(`${String(available)} replicas available`);
    });
    try {
      await happen();
    } finally {
      unlook();
    }
    deepEqual(seen, []);
    deepEqual(this.#pods(), before);
  }

  end(): void {
    this.#over.abort();
    this.onlooker.stop();
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { kube } = this.#stage;
    const { namespace } = this;
    for (const name of busy)
      await kube.create(namespace, 'podcliquesets', manifest(pairs(name, 1)));
    let turn = 0;
    for (; !signal.aborted; turn++) {
      await kube.scale(namespace, 'podcliquesets', busy[turn % 3] ?? busy[0], 1 + (turn % 4));
      await this.#stage.idle(200);
    }
    for (const name of busy) await kube.delete(namespace, 'podcliquesets', name);
    const left = (): readonly string[] =>
      [...this.onlooker.all('pods', namespace).keys()].filter((name) => !this.#isOurs(name));
    await eventually('the others gone', left, ({ length }) => length === 0, goneMs);
    return turn;
  }

  readonly #isOurs = (name: string): boolean =>
    name === this.wanted.name || name.startsWith(`${this.wanted.name}-`);

  /** By UID. */
  #pods(): readonly string[] {
    return [...this.onlooker.all('pods', this.namespace)]
      .filter(([name]) => this.#isOurs(name))
      .map(([, pod]) => text(at(pod, 'metadata', 'uid')))
      .toSorted();
  }
}
