// Where a child belongs by its name, `<parent>-<replica>-<slot>`: by the exact name of the parent,
// which its owner reference gives, and the digits that follow, never by a suffix (spec controllers
// 10.2 gap 1, rule 50). The label of the index is not asked: a hand can change it, and a child that
// was created under this name would be looked for under another (decision 0023).

/** Where a child belongs. */
export interface Place {
  /** The replica of its parent; undefined: it serves all of them. */
  readonly replica: number | undefined;
  /** Among the children of its kind there. */
  readonly slot: string;
}

interface InReplica extends Place {
  readonly replica: number;
}

/** More than any replica has, and what a radix tree has room for. */
const maxDigits = 10;

/** `slot` is empty where nothing follows the number. Undefined where it is another name. */
export function placeOf(parent: string, name: string): InReplica | undefined {
  if (!name.startsWith(`${parent}-`)) return undefined;
  const after = name.slice(parent.length + 1);
  const end = after.indexOf('-');
  const digits = end < 0 ? after : after.slice(0, end);
  const slot = end < 0 ? '' : after.slice(end + 1);
  const replica = Number(digits);
  const isIndex =
    Number.isSafeInteger(replica) && digits.length <= maxDigits && String(replica) === digits;
  return isIndex && (end < 0 || slot !== '') ? { replica, slot } : undefined;
}
