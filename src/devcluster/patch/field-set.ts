// Sets of fields, the value behind managedFields: a tree of path elements (`f:name`, `k:{...}`,
// `v:...`) with set algebra and the fieldsV1 encoding. Sets are never changed once they are shared.
import { isRecord } from '../schema/record.ts';

/** A node is in the set itself (`own`), or only leads to fields below it. */
export interface FieldSet {
  own: boolean;
  readonly kids: Map<string, FieldSet>;
}

export const emptySet = (): FieldSet => ({ own: false, kids: new Map() });

/** The child of a node, made if it is missing. */
export function childOf(set: FieldSet, element: string): FieldSet {
  let kid = set.kids.get(element);
  if (kid === undefined) {
    kid = emptySet();
    set.kids.set(element, kid);
  }
  return kid;
}

export const isEmptySet = (set: FieldSet): boolean =>
  !set.own && [...set.kids.values()].every(isEmptySet);

/** A set as a parent holds it: undefined where nothing is left. */
const orNothing = (set: FieldSet): FieldSet | undefined =>
  set.own || set.kids.size > 0 ? set : undefined;

function build(
  own: boolean,
  elements: Iterable<string>,
  combine: (element: string) => FieldSet | undefined,
): FieldSet {
  const kids = new Map<string, FieldSet>();
  for (const element of elements) {
    const kid = combine(element);
    if (kid !== undefined) kids.set(element, kid);
  }
  return { own, kids };
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (b.kids.size === 0) return b.own && !a.own ? { own: true, kids: a.kids } : a;
  return build(a.own || b.own, new Set([...a.kids.keys(), ...b.kids.keys()]), (element) => {
    const left = a.kids.get(element);
    const right = b.kids.get(element);
    if (left === undefined) return right;
    return right === undefined ? left : union(left, right);
  });
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return build(a.own && b.own, a.kids.keys(), (element) => {
    const left = a.kids.get(element);
    const right = b.kids.get(element);
    return left && right ? orNothing(intersection(left, right)) : undefined;
  });
}

/** The fields of a that are not in b; a field below a field of b stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (b.kids.size === 0) return b.own && a.own ? { own: false, kids: a.kids } : a;
  return build(a.own && !b.own, a.kids.keys(), (element) => {
    const left = a.kids.get(element);
    const right = b.kids.get(element);
    if (left === undefined) return undefined;
    return right === undefined ? left : orNothing(difference(left, right));
  });
}

/** Like difference, but a field of b takes everything below it along. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  if (b.own) return emptySet();
  if (b.kids.size === 0) return a;
  return build(a.own, a.kids.keys(), (element) => {
    const left = a.kids.get(element);
    const right = b.kids.get(element);
    if (left === undefined) return undefined;
    return right === undefined ? left : orNothing(without(left, right));
  });
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a.own !== b.own || a.kids.size !== b.kids.size) return false;
  for (const [element, kid] of a.kids) {
    const other = b.kids.get(element);
    if (other === undefined || !sameSet(kid, other)) return false;
  }
  return true;
}

/** A set of the given paths of plain field names, e.g. `[['metadata', 'name']]`. */
export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  const result = emptySet();
  for (const path of paths) {
    let node = result;
    for (const name of path) node = childOf(node, `f:${name}`);
    node.own = true;
  }
  return result;
}

/** The members of a set as lists of path elements, in the order of their text. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): (readonly string[])[] {
  const paths: (readonly string[])[] = set.own ? [prefix] : [];
  for (const element of [...set.kids.keys()].toSorted()) {
    const kid = set.kids.get(element);
    if (kid !== undefined) paths.push(...pathsOf(kid, [...prefix, element]));
  }
  return paths;
}

/** fieldsV1: `{"f:spec":{"f:replicas":{}}}`, with `.` where a parent is a member too. */
export function encodeFields(set: FieldSet): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (set.own && set.kids.size > 0) result['.'] = {};
  for (const element of [...set.kids.keys()].toSorted()) {
    const kid = set.kids.get(element);
    if (kid !== undefined) result[element] = encodeFields(kid);
  }
  return result;
}

/** The inverse of encodeFields. Anything that is not an object counts as empty. */
export function decodeFields(fields: unknown): FieldSet {
  const set = emptySet();
  if (!isRecord(fields)) return set;
  for (const [element, value] of Object.entries(fields)) {
    if (element === '.') {
      set.own = true;
      continue;
    }
    const kid = decodeFields(value);
    if (kid.kids.size === 0) kid.own = true;
    set.kids.set(element, kid);
  }
  return set;
}

/** A path as kube-apiserver prints it: `.spec.containers[name="web"].image`. */
export const printPath = (path: readonly string[]): string => path.map(printElement).join('');

function printElement(element: string): string {
  const body = element.slice(2);
  if (element.startsWith('f:')) return `.${body}`;
  if (element.startsWith('v:')) return `[=${body}]`;
  if (!element.startsWith('k:')) return `[${body}]`;
  const keys: unknown = JSON.parse(body);
  const parts = isRecord(keys) ? Object.entries(keys) : [];
  return `[${parts.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}
