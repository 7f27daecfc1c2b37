// Topology constraints of a gang in the simulated scheduler: which of its pods must be, or had
// better be, on nodes of one domain. Each part tries its domains in turn and its own parts within,
// greedily, so a placement that only a search would find may be missed.
import type { Part } from '../../plugins/contract.ts';
import type { NodeState } from './fit.ts';
import type { Guest, NodeBook, PartyChoice } from './nodes.ts';

const podsIn = ({ pods, parts }: Part): readonly string[] => [...pods, ...parts.flatMap(podsIn)];

/** Fillings that are tried with preferences; after that only what is required counts. */
const mostTries = 2_000;

type Failure = Exclude<PartyChoice, { readonly nodes: unknown }>;

export class Packer {
  readonly #book: NodeBook;
  readonly #guests: ReadonlyMap<string, Guest>;
  /** Name of the node of a pod that is placed; empty: it is not. */
  readonly #nodeOf: (key: string) => string;
  #tries = 0;

  constructor(book: NodeBook, guests: ReadonlyMap<string, Guest>, nodeOf: (key: string) => string) {
    this.#book = book;
    this.#guests = guests;
    this.#nodeOf = nodeOf;
  }

  /** All guests of the part are charged, or none. */
  place(part: Part, within: readonly NodeState[] = this.#book.nodes): PartyChoice {
    const [first] = podsIn(part).flatMap((key) => this.#guests.get(key) ?? []);
    if (first === undefined) return { nodes: new Map() };
    let best: Failure = { placed: 0, uid: first.uid, against: [] };
    for (const nodes of this.#choicesFor(part, within)) {
      const choice = this.#fill(part, nodes);
      if ('nodes' in choice) return choice;
      if (choice.placed > best.placed || best.against.length === 0) best = choice;
    }
    return { ...best, domain: best.domain || part.required };
  }

  #fill(part: Part, nodes: readonly NodeState[]): PartyChoice {
    this.#tries++;
    const placed = new Map<string, string>();
    const own = part.pods.flatMap((key) => this.#guests.get(key) ?? []);
    const steps = [
      ...part.parts.map((each) => () => this.place(each, nodes)),
      () => this.#book.chooseAll(own, nodes),
    ];
    for (const step of steps) {
      const choice = step();
      if (!('nodes' in choice)) {
        for (const uid of placed.keys()) this.#book.release(uid);
        return { ...choice, placed: choice.placed + placed.size };
      }
      for (const [uid, node] of choice.nodes) placed.set(uid, node);
    }
    return { nodes: placed };
  }

  /** Sets of nodes to try, the best first. */
  *#choicesFor(part: Part, within: readonly NodeState[]): Iterable<readonly NodeState[]> {
    const { required, preferred } = part;
    const allowed = required === '' ? [within] : this.#domains(part, required, within).must;
    for (const nodes of allowed) {
      if (preferred !== '' && this.#tries < mostTries) {
        yield* this.#domains(part, preferred, nodes).all;
      }
      yield nodes;
    }
  }

  /** `must`: those that hold pods of the part already, or all where none does. */
  #domains(part: Part, key: string, within: readonly NodeState[]) {
    const domains = Map.groupBy(
      within.filter(({ labels }) => labels[key] !== undefined),
      ({ labels }) => labels[key],
    );
    const homes = new Set(podsIn(part).map(this.#nodeOf));
    const all = [...domains.values()];
    const held = all.filter((nodes) => nodes.some(({ name }) => homes.has(name)));
    const others = all.filter((nodes) => !held.includes(nodes));
    return { must: held.length > 0 ? held : all, all: [...held, ...others] };
  }
}
