// What must never happen to Sandboxes, claims and warm pools (spec agent-sandbox C1 to C10, P1 to
// P12, S1 to S7, section 7), watched at the store at every version and at the writes of each
// process, by code that knows nothing of the code under test. The parts are in the files beside it.
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { textAt } from '../fields.ts';
import type { Tag } from '../oracles/ownerships.ts';
import { placeOf } from '../oracles/place.ts';
import type { Wire } from '../world/processes.ts';
import { Claims } from './claims.ts';
import { Deletions } from './deletions.ts';
import type { Judged } from './judged.ts';
import { Numbers } from './numbers.ts';
import { namespace, type What } from './objects.ts';
import { Owners } from './owners.ts';
import { Past } from './past.ts';
import { Pods } from './pods.ts';

type OracleOptions = Omit<Judged, 'past' | 'listed'>;

export class PoolOracle {
  readonly #options: Judged;
  readonly #claims: Claims;
  readonly #deletions: Deletions;
  readonly #numbers: Numbers;
  /** Versions of whole lists, by process and plural. */
  readonly #lists = new Map<string, number[]>();

  constructor(options: OracleOptions) {
    const { store, clock } = options;
    const kinds = ['sandboxes', 'pools', 'claims', 'templates', 'pods'] as const;
    const pasts = new Map<What, Past>(kinds.map((what) => [what, new Past(store, clock, what)]));
    this.#options = {
      ...options,
      past: (what) => pasts.get(what) ?? new Past(store, clock, what),
      listed: (life, plural, since) =>
        (this.#lists.get(`${life} ${plural}`) ?? []).filter((version) => version >= since),
    };
    new Owners(this.#options).watch();
    new Pods(this.#options).watch();
    this.#numbers = new Numbers(this.#options);
    this.#deletions = new Deletions(this.#options);
    this.#claims = new Claims(this.#options, (...write) => this.#deletions.assigned(...write));
  }

  /** One more wire of a process. */
  call(life: number): Wire['witness'] {
    return {
      asks: () => {},
      sends: (request) => this.#numbers.sends(life, request),
      hears: (request, response) => {
        this.#numbers.hears(life, request, response);
        this.#hear(life, request, response);
      },
      overhears: (_, sink) => sink,
    };
  }

  lost(life: number): void {
    this.#numbers.lost(life);
  }

  /** Carries a request of a process out, and judges what came of it. */
  async judge(
    { life }: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse> {
    const place = placeOf(request.path);
    if (request.method === 'GET' || place.namespace !== namespace) return carryOut();
    const { store } = this.#options;
    const live = () => store.collection(place.collection).get(place.namespace, place.name);
    const before = live();
    const response = await carryOut();
    if (response.status >= 300 || before === undefined) return response;
    if (request.method === 'DELETE') this.#deletions.judge(life, place.plural, before);
    const after = live();
    if (place.plural === 'sandboxclaims' && after !== undefined) {
      this.#claims.judge(life, before, after);
    }
    return response;
  }

  /** A whole list of a kind reaches the process. */
  #hear(life: number, { method, path }: KubeRequest, response: KubeResponse | undefined): void {
    const { plural, name } = placeOf(path);
    if (method !== 'GET' || name !== '' || response?.status !== 200) return;
    if (textAt(response.body, 'metadata', 'continue') !== '') return;
    const version = Number(textAt(response.body, 'metadata', 'resourceVersion'));
    const key = `${life} ${plural}`;
    this.#lists.set(key, [...(this.#lists.get(key) ?? []), version]);
  }
}
