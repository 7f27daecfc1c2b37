// Judges gang termination at the store of the API server: a PodClique that its owner wants may be
// deleted only where something of its replica was good once, was below its minimum for the whole
// delay since, and was so before this PodClique was made. So what never was healthy is never
// recycled, and nothing twice for one breach. Asked by decisions.ts.
import type { Clock } from '#actors/ports.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import type { Tally } from './tally.ts';

interface Breach {
  readonly from: number;
  /** Absent: it goes on. */
  to?: number;
}

interface Record {
  /** Set and index. */
  readonly replica: string;
  readonly set: string;
  wasGood: boolean;
  readonly breaches: Breach[];
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly tally: Tally;
  /** Processes disagree about the time: deadlines are by the clock of whoever looks. */
  readonly areClocksWrong: boolean;
}

const resources = ['grove.io/podcliques', 'grove.io/podcliquescalinggroups'] as const;
/** Times are whole seconds. */
const roundingMs = 1_000;
const usualDelayMs = 4 * 3_600_000;

export class Terminations {
  readonly #parts: Parts;
  readonly #records = new Map<string, Record>();

  constructor(parts: Parts) {
    this.#parts = parts;
    for (const resource of resources) {
      parts.store
        .collection(resource)
        .onChange(({ object, type }) => this.#take(object, type === 'DELETED'));
    }
  }

  mayDelete(clique: Stored): boolean {
    const { tally, areClocksWrong } = this.#parts;
    if (areClocksWrong) {
      tally.abstained('termination', 'clocks are wrong');
      return true;
    }
    tally.judged('termination');
    const created = Date.parse(textAt(clique, 'metadata', 'creationTimestamp'));
    const replica = replicaOf(clique);
    return [...this.#records.values()].some(
      (record) => record.replica === replica && this.#isCause(record, created),
    );
  }

  #isCause({ set, breaches }: Record, created: number): boolean {
    const delayMs = this.#delayOf(set);
    return breaches.some(({ from, to = Infinity }) => {
      const due = from + delayMs;
      const isDue = due <= this.#parts.clock.now() && due <= to + roundingMs;
      return isDue && created <= due + roundingMs;
    });
  }

  #take(object: Stored, isGone: boolean): void {
    const { clock } = this.#parts;
    const record = this.#records.get(uidOf(object)) ?? recordOf(object);
    this.#records.set(uidOf(object), record);
    const breach = conditionOf(object, 'MinAvailableBreached');
    const isBreached = textAt(breach, 'status') === 'True' && !isGone;
    const open = record.breaches.find(({ to }) => to === undefined);
    const from = Date.parse(textAt(breach, 'lastTransitionTime'));
    if (open !== undefined && (!isBreached || open.from !== from)) open.to = clock.now();
    // Only what was good before counts.
    if (isBreached && record.wasGood && open?.from !== from) record.breaches.push({ from });
    const isGood =
      object['kind'] === 'PodClique'
        ? textAt(conditionOf(object, 'PodCliqueScheduled'), 'status') === 'True'
        : textAt(breach, 'status') === 'False';
    if (isGood && !record.wasGood && isBreached) record.breaches.push({ from });
    record.wasGood ||= isGood;
  }

  #delayOf(set: string): number {
    const object = this.#parts.store.collection('grove.io/podcliquesets').get(namespace, set);
    const text = textAt(at(object, 'spec', 'template'), 'terminationDelay');
    const [, seconds] = /^(\d+)s$/.exec(text) ?? [];
    return seconds === undefined ? leastOf(text) : Number(seconds) * 1_000;
  }
}

/** Of those that walks draw. */
const leastOf = (text: string): number => (text === '5m' ? 300_000 : usualDelayMs);

const recordOf = (object: Stored): Record => ({
  replica: replicaOf(object),
  set: labelsOf(object)['app.kubernetes.io/part-of'] ?? '',
  wasGood: false,
  breaches: [],
});

const replicaOf = (object: Stored): string => {
  const { 'app.kubernetes.io/part-of': set, 'grove.io/podcliqueset-replica-index': index } =
    labelsOf(object);
  return `${set} ${index}`;
};

const conditionOf = (object: Stored, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((row) => textAt(row, 'type') === type);
