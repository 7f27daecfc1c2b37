// That a process writes the table of a clique under the newest version that it was told of its own
// writes: else the server refuses it with a conflict that nobody else is to blame for. Part of
// lives.ts.
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { versionOf } from '#test/sim/cliques/objects.ts';
import { textAt } from '#test/sim/fields.ts';
import { placeOf } from '#test/sim/oracles/place.ts';
import type { Tally } from '#test/sim/oracles/tally.ts';

interface RepeatsOptions {
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

export class Repeats {
  readonly #options: RepeatsOptions;
  /** By process and path: the version of its last write of which it has the answer. */
  readonly #told = new Map<string, number>();

  constructor(options: RepeatsOptions) {
    this.#options = options;
  }

  /** A process hands a write to its transport. */
  asks(life: number, { method, path, body }: KubeRequest): void {
    const { plural } = placeOf(path);
    const given = Number(textAt(body, 'metadata', 'resourceVersion'));
    if (plural !== 'computedomaincliques' || given === 0) return;
    const told = this.#told.get(`${life} ${path}`);
    if (told === undefined) return;
    this.#options.tally.judged('version of a clique');
    if (given >= told) return;
    this.#options.violate(
      `controller ${life} asks ${method} ${path} under version ${given}, and was told that its ` +
        `own write made ${told}`,
    );
  }

  /** An answer reaches it. */
  hears(life: number, { method, path }: KubeRequest, answer: KubeResponse | undefined): void {
    const { plural, name } = placeOf(path);
    if (plural !== 'computedomaincliques' || name === '' || method === 'DELETE') return;
    if (answer !== undefined && answer.status < 300) {
      this.#told.set(`${life} ${path}`, Number(versionOf(answer.body)));
    }
  }
}
