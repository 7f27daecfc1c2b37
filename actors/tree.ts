// Trees of actors under their root objects, grouped by shard. A tree lives in one process; its
// actors sit in cells of about a hundred. This file knows where each actor is and nothing of what
// it does.
import type { MachineSettings } from '#machines/behaviour.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey } from '#machines/vocabulary.ts';
import type { Actor } from './actor.ts';
import { Cell } from './cell.ts';
import type { Step } from './cell.ts';
import type { MachineEvent } from './mailbox.ts';
import { Deadlines } from './deadlines.ts';
import type { Clock } from './ports.ts';

interface Tree {
  readonly root: ActorKey;
  readonly shard: number;
  readonly cells: Set<Cell>;
  opened: number;
}

interface Place {
  readonly actor: Actor;
  readonly cell: Cell;
  readonly tree: Tree;
}

export class Trees {
  readonly #settings: MachineSettings;
  readonly #clock: Clock;
  readonly #perCell: number;
  readonly #trees = new Map<string, Tree>();
  readonly #places = new Map<string, Place>();
  readonly #deadlines = new Map<number, Deadlines>();

  constructor(options: { settings: MachineSettings; clock: Clock; actorsPerCell: number }) {
    this.#settings = options.settings;
    this.#clock = options.clock;
    this.#perCell = options.actorsPerCell;
  }

  get size(): number {
    return this.#places.size;
  }

  find(id: string): Actor | undefined {
    return this.#places.get(id)?.actor;
  }

  /** The one timer of a shard. */
  deadlines(shard: number): Deadlines {
    let deadlines = this.#deadlines.get(shard);
    if (deadlines === undefined) {
      deadlines = new Deadlines(this.#clock);
      this.#deadlines.set(shard, deadlines);
    }
    return deadlines;
  }

  /** Gives the actor a place in its tree and starts its machine. */
  place(actor: Actor): Step {
    const tree = this.#treeOf(actor);
    const cell = this.#roomIn(tree);
    this.#places.set(actor.id, { actor, cell, tree });
    return cell.start(actor);
  }

  /** Starts the machine of a placed actor anew. */
  restart(actor: Actor): Step | undefined {
    return this.#places.get(actor.id)?.cell.start(actor);
  }

  step(actor: Actor, event: MachineEvent): Step | undefined {
    const place = this.#places.get(actor.id);
    return place?.actor === actor ? place.cell.step(actor, event) : undefined;
  }

  /** Takes the actor out; empty cells and trees are closed. */
  remove(actor: Actor): void {
    const place = this.#places.get(actor.id);
    if (place === undefined || place.actor !== actor) return;
    this.#places.delete(actor.id);
    place.cell.end(actor);
    if (place.cell.size > 0) return;
    place.cell.stop();
    place.tree.cells.delete(place.cell);
    if (place.tree.cells.size === 0) this.#trees.delete(actorId(place.tree.root));
  }

  /** Every actor, or those of the trees of these roots. */
  *all(roots?: ReadonlySet<string>): Iterable<Actor> {
    if (roots === undefined) {
      for (const place of this.#places.values()) yield place.actor;
      return;
    }
    for (const root of roots) {
      for (const cell of this.#trees.get(root)?.cells ?? []) yield* cell.actors();
    }
  }

  /** The trees with their actors, for `/actors`. */
  *overview(): Iterable<{ root: ActorKey; shard: number; cells: number; actors: Actor[] }> {
    for (const tree of this.#trees.values()) {
      const actors = [...tree.cells].flatMap((cell) => [...cell.actors()]);
      yield { root: tree.root, shard: tree.shard, cells: tree.cells.size, actors };
    }
  }

  stop(): void {
    for (const deadlines of this.#deadlines.values()) deadlines.stop();
  }

  #treeOf(actor: Actor): Tree {
    const id = actorId(actor.root);
    let tree = this.#trees.get(id);
    if (tree === undefined) {
      tree = { root: actor.root, shard: actor.shard, cells: new Set(), opened: 0 };
      this.#trees.set(id, tree);
    }
    return tree;
  }

  #roomIn(tree: Tree): Cell {
    for (const cell of tree.cells) if (cell.size < this.#perCell) return cell;
    const cell = new Cell(`${actorId(tree.root)}#${tree.opened++}`, this.#settings);
    tree.cells.add(cell);
    return cell;
  }
}
