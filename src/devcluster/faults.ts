// Faults on demand: what the server does wrong, for which request, the how many-th time. The same
// plan works for clients in this process and over HTTPS; tests and `coppice dev` fill it.

/** What goes wrong. */
export type Fault =
  /** The request waits before anything is done. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** An error answer, nothing is done. */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The connection breaks before anything is done. */
  | { readonly kind: 'dropRequest' }
  /** The write is committed, then the connection breaks without an answer. */
  | { readonly kind: 'dropReply' }
  /** A watch breaks after so many events or so much time, whichever is first. */
  | { readonly kind: 'dropWatch'; readonly afterEvents?: number; readonly afterMs?: number }
  /** Events of a watch arrive late, in order. */
  | { readonly kind: 'lagWatch'; readonly ms: number }
  /** 410 Expired: as an answer to a list, as an ERROR event to a watch. */
  | { readonly kind: 'expire' }
  /** A list or get shows the state of so many writes ago. */
  | { readonly kind: 'stale'; readonly versions: number };

/** What a request is matched by; a field that is absent matches everything. */
export interface FaultMatch {
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb?: string;
  /** `pods`, `jobs.batch`, or the kind `Pod`. */
  readonly kind?: string;
  /** `status`, `binding`, ...; an empty string: the resource itself only. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
}

export interface FaultRule extends FaultMatch {
  /** The matching requests are counted from 1: the first that fails; default 1. */
  readonly nth?: number;
  /** How many in a row fail from then on; default 1. */
  readonly times?: number;
  /** Of those, which share fails (0..1), drawn from the cluster's randomness; default all. */
  readonly rate?: number;
  readonly fault: Fault;
}

/** One request as the plan sees it. */
export interface FaultSubject {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
}

interface Entry {
  readonly rule: FaultRule;
  seen: number;
  fired: number;
}

/** The faults that are to come. Empty: the server is healthy. */
export class FaultPlan {
  readonly #entries = new Set<Entry>();

  constructor(rules: readonly FaultRule[] = []) {
    for (const rule of rules) this.add(rule);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** The returned handle says how often it fired and takes it back. */
  add(rule: FaultRule): { readonly fired: () => number; readonly remove: () => void } {
    const entry: Entry = { rule, seen: 0, fired: 0 };
    this.#entries.add(entry);
    return { fired: () => entry.fired, remove: () => this.#entries.delete(entry) };
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The faults of this request; counts it. `draw` gives a number in [0, 1). */
  take(subject: FaultSubject, draw: () => number): Fault[] {
    const faults: Fault[] = [];
    for (const entry of this.#entries) {
      const { rule } = entry;
      if (!matches(rule, subject)) continue;
      entry.seen++;
      const first = rule.nth ?? 1;
      const last = first + (rule.times ?? 1) - 1;
      if (entry.seen < first || entry.seen > last) continue;
      if (rule.rate !== undefined && draw() >= rule.rate) continue;
      entry.fired++;
      faults.push(rule.fault);
    }
    return faults;
  }
}

function matches(match: FaultMatch, subject: FaultSubject): boolean {
  const { verb, kind, subresource, namespace, name, user } = match;
  return (
    (verb === undefined || verb === subject.verb) &&
    (kind === undefined || isKind(kind, subject)) &&
    (subresource === undefined || subresource === subject.subresource) &&
    (namespace === undefined || namespace === subject.namespace) &&
    (name === undefined || name === subject.name) &&
    (user === undefined || user === subject.user)
  );
}

const isKind = (asked: string, { kind, plural, group }: FaultSubject): boolean =>
  asked === kind || asked === plural || asked === `${plural}.${group}`;

/** The first fault of a kind, narrowed. */
export function faultOf<K extends Fault['kind']>(
  faults: readonly Fault[],
  kind: K,
): Extract<Fault, { kind: K }> | undefined {
  const isOfKind = (fault: Fault): fault is Extract<Fault, { kind: K }> => fault.kind === kind;
  return faults.find(isOfKind);
}
