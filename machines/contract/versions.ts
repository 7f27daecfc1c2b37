// Values that never change and yet are not copied: H. G. Baker, "Shallow Binding Makes Functional
// Arrays Fast", ACM SIGPLAN Notices 26(8), 1991. All versions share one mutable core, which holds
// one of them; each other version knows the change that leads to it from its neighbour. For the
// large parts of a context: a reconcile may change them, and the runtime throw its result away.

/** What all versions share. They alone change it. */
export interface Core<Change> {
  /** Makes a change and returns the one that undoes it. */
  apply(change: Change): Change;
}

/**
 * The version that the core holds costs what the core costs. Another one costs, once, the changes
 * between the two, and then the core holds that one: to read two versions in turns is slow. An old
 * version keeps the changes since then in memory; when nobody keeps it, nothing is left of it.
 */
export class Version<C extends Core<Change>, Change> {
  readonly #core: C;
  /** Undefined where the core holds this version. */
  #from: { readonly version: Version<C, Change>; readonly change: Change } | undefined;

  constructor(core: C) {
    this.#core = core;
  }

  /** The core, which is this version until another one is read or changed. */
  read(): C {
    if (this.#from !== undefined) Version.#restore(this);
    return this.#core;
  }

  /** The version after a change. This one stays as it is. */
  change(change: Change): Version<C, Change> {
    const next = new Version<C, Change>(this.read());
    this.#from = { version: next, change: this.#core.apply(change) };
    return next;
  }

  /** In loops, as there may be more versions than a stack has room for. */
  static #restore<C extends Core<Change>, Change>(wanted: Version<C, Change>): void {
    const way: Version<C, Change>[] = [];
    let held = wanted;
    while (held.#from !== undefined) {
      way.push(held);
      held = held.#from.version;
    }
    for (const version of way.toReversed()) {
      if (version.#from === undefined) continue;
      held.#from = { version, change: version.#core.apply(version.#from.change) };
      version.#from = undefined;
      held = version;
    }
  }
}
