// Lists of the cluster in memory, as its port gives them: of what is there when the request
// arrives.
import type { Clock, ClusterPort, Listed, Selection } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { fail, refusal, wait, type Fault } from './faults.ts';
import { isSelected } from './world-intents.ts';

export class FakeLists {
  readonly #clock: Clock;
  readonly #all: (kind: Kind) => readonly KubeObject[];
  readonly #inFlight = new Set<symbol>();
  latencyMs = 1;
  fault: (kind: Kind) => Fault | undefined = () => undefined;
  /** The answer comes although the list was aborted: it was on its way. */
  answersAborted = false;
  sent = 0;
  mostInFlight = 0;

  constructor(clock: Clock, all: (kind: Kind) => readonly KubeObject[]) {
    this.#clock = clock;
    this.#all = all;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  readonly list: NonNullable<ClusterPort['list']> = (kind, selection, _, signal) => {
    const one = Symbol();
    const landed = (): unknown => this.#inFlight.delete(one);
    this.sent++;
    this.#inFlight.add(one);
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight.size);
    signal?.addEventListener('abort', landed);
    const answer = this.#listed(kind, selection, this.answersAborted ? undefined : signal);
    void answer.then(landed, landed);
    return answer;
  };

  async #listed(kind: Kind, selection: Selection, signal?: AbortSignal): Promise<Listed> {
    const fault = this.fault(kind);
    await wait(this.#clock, this.latencyMs, signal);
    if (fault?.type === 'reject') throw new Error('the port rejected');
    if (fault?.type === 'refuse') return refusal(fault);
    const objects = this.#all(kind).filter((object) => isSelected(selection, object));
    await wait(this.#clock, fault?.type === 'delay' ? fault.ms : this.latencyMs, signal);
    const isLost = fault?.type === 'lose' || signal?.aborted === true;
    return isLost ? fail('UNREACHABLE', 'connection reset') : { ok: true, objects };
  }
}
