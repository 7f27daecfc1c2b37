// A persistent array over sparse indices: `set` copies one path of nodes of 32, so a fact about one
// replica costs the same for 5 replicas and for 5000, and a hostile index of four billion costs a
// few nodes. Holds the replicas of sets and of scaling groups.

interface Leaf<T> {
  readonly items: readonly (T | undefined)[];
}
interface Branch<T> {
  readonly kids: readonly (Node<T> | undefined)[];
}
type Node<T> = Leaf<T> | Branch<T>;

export interface Radix<T> {
  /** Levels of branches above the leaves: indices below 32 ** (height + 1) have a place. */
  readonly height: number;
  readonly root: Node<T> | undefined;
}

const width = 32;
const widest = 8;

export const emptyRadix: Radix<never> = { height: 0, root: undefined };

const capacity = (height: number): number => width ** (height + 1);

/** Index of the child at this height (0 = in the leaf). Division, as indices may exceed 32 bits. */
const slot = (index: number, height: number): number => Math.floor(index / width ** height) % width;

export function get<T>(radix: Radix<T>, index: number): T | undefined {
  if (index < 0 || index >= capacity(radix.height)) return undefined;
  let node = radix.root;
  for (let height = radix.height; node !== undefined; height--) {
    if ('items' in node) return node.items[slot(index, 0)];
    node = node.kids[slot(index, height)];
  }
  return undefined;
}

/** Undefined as value removes. Indices must be integers from 0 to 2 ** 40. */
export function set<T>(radix: Radix<T>, index: number, value: T | undefined): Radix<T> {
  let { height, root } = radix;
  while (index >= capacity(height) && height < widest) {
    root = root === undefined ? undefined : { kids: [root] };
    height++;
  }
  return { height, root: setIn(root, height, index, value) };
}

function setIn<T>(
  node: Node<T> | undefined,
  height: number,
  index: number,
  value: T | undefined,
): Node<T> | undefined {
  const place = slot(index, height);
  if (height === 0) {
    const items = node !== undefined && 'items' in node ? node.items.slice() : [];
    while (items.length < place) items.push(undefined);
    items[place] = value;
    return items.some((item) => item !== undefined) ? { items } : undefined;
  }
  const kids = node !== undefined && 'kids' in node ? node.kids.slice() : [];
  while (kids.length < place) kids.push(undefined);
  kids[place] = setIn(kids[place], height - 1, index, value);
  return kids.some((kid) => kid !== undefined) ? { kids } : undefined;
}

/** All entries in ascending order of index. */
export function* entries<T>(radix: Radix<T>): Generator<readonly [number, T]> {
  if (radix.root !== undefined) yield* entriesOf(radix.root, radix.height, 0);
}

function* entriesOf<T>(
  node: Node<T>,
  height: number,
  base: number,
): Generator<readonly [number, T]> {
  if ('items' in node) {
    for (const [place, item] of node.items.entries()) {
      if (item !== undefined) yield [base + place, item];
    }
    return;
  }
  for (const [place, kid] of node.kids.entries()) {
    if (kid !== undefined) yield* entriesOf(kid, height - 1, base + place * width ** height);
  }
}
