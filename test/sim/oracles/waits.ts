// Judges whether one process waits for what it must: a claim of a PodClique goes when no pod has
// it, not even one on its way out (spec controllers 10.2 gap 12), and pods of a scaled gang may be
// scheduled while their base gang is there and stays (3.4). By what it was shown; fed by
// witness.ts.
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, labelsOf, listAt, textAt } from '../fields.ts';
import { placeOf } from './place.ts';
import { controllerOf, isGoing, type Look, type Shown } from './shown.ts';
import type { Tally } from './tally.ts';

export interface WaitOptions {
  readonly life: number;
  readonly shown: Shown;
  readonly tally: Tally;
  /** Messages between its actors are lost: some may not have heard of what others know. */
  readonly isDeaf: boolean;
  readonly violate: (what: string) => void;
}

export class Waits {
  readonly #options: WaitOptions;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  judge({ method, path, body }: KubeRequest): void {
    const { plural } = placeOf(path);
    if (method === 'DELETE' && plural === 'resourceclaims') {
      this.#judgeClaim(textAt(body, 'preconditions', 'uid'));
    }
    if (plural !== 'pods') return;
    if (method === 'POST') this.#judgeGate(body, body);
    if (method === 'PATCH' && Array.isArray(at(body, 'spec', 'schedulingGates'))) {
      const looks = this.#options.shown.looks(textAt(body, 'metadata', 'uid'));
      this.#judgeGate(
        body,
        looks.find((look) => look !== undefined),
      );
    }
  }

  #judgeClaim(uid: string): void {
    const { shown, tally } = this.#options;
    const claim = shown.looks(uid).find((look) => look !== undefined);
    if (claim === undefined) return;
    const name = textAt(claim, 'metadata', 'name');
    const users = shown.surely(controllerOf(claim), '/pods', (pod) => hasClaim(pod, name));
    tally.judged('claim end');
    if (users.length === 0) return;
    const names = users.map((pod) => textAt(pod, 'metadata', 'name')).join(', ');
    this.#violate(`deletes ResourceClaim ${name}, which it knows that ${names} has`);
  }

  /** `pod`: the one that is created, or that loses a gate by `written`. */
  #judgeGate(written: unknown, pod: unknown): void {
    const { shown, tally, isDeaf } = this.#options;
    const base = labelsOf(pod)['grove.io/base-podgang'];
    if (base === undefined || isGated(written)) return;
    if (isDeaf) return tally.abstained('pod behind a base gang', 'messages are lost');
    tally.judged('pod behind a base gang');
    const kind = 'scheduler.grove.io/podgangs';
    const looks = shown.looksAt(kind, textAt(pod, 'metadata', 'namespace'), base);
    if (looks.some((look) => look !== undefined && !isGoing(look))) return;
    const name = textAt(pod, 'metadata', 'name');
    this.#violate(`lets pod ${name} be scheduled though it knows PodGang ${base} to be going`);
  }

  #violate(what: string): void {
    this.#options.violate(`controller ${this.#options.life} ${what}`);
  }
}

const hasClaim = (pod: Look, name: string): boolean =>
  listAt(pod, 'spec', 'resourceClaims').some((row) => textAt(row, 'resourceClaimName') === name);

const isGated = (pod: unknown): boolean =>
  listAt(pod, 'spec', 'schedulingGates').some(
    (row) => textAt(row, 'name') === 'grove.io/podgang-pending-creation',
  );
