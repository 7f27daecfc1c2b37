// What goes wrong, for which request, the how many-th time. A scenario hands rules to the proxy;
// the proxy asks here for every request. The vocabulary is that of the embedded cluster's fault
// plan (src/devcluster/faults.ts), for what happens between two processes.
import type { Random } from '#actors/ports.ts';
import { isWrite, type ProxiedRequest, type Verb } from './request.ts';

/** What happens to a request that no stream answers. */
type RequestFault =
  /** It reaches the server late. */
  | { readonly type: 'delay'; readonly ms: number }
  /** It is carried out, and its answer is late. */
  | { readonly type: 'delayReply'; readonly ms: number }
  /** It is carried out, and the connection breaks instead of an answer. */
  | { readonly type: 'swallow' }
  /** It is carried out, and the connection breaks in the middle of the answer. */
  | { readonly type: 'truncate' }
  /** The connection breaks before it is carried out. */
  | { readonly type: 'reset' }
  /** It is not carried out, and answered with a Status object: 409, 410, 429, 500. */
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly reason?: string;
      readonly retryAfterSeconds?: number;
    };

/** What happens to a watch; `alsoOpen` rules strike those that are under way, too. */
export type StreamFault =
  /** Not one byte more, and no end, until the client gives up. */
  | { readonly type: 'halfOpen' }
  /** Everything arrives so much later, in order. */
  | { readonly type: 'lag'; readonly ms: number }
  /** Events are gathered for so long, then of each object only the newest is passed on. */
  | { readonly type: 'coalesce'; readonly ms: number };

export type Fault =
  | RequestFault
  | StreamFault
  /** A watch is accepted, and its only event is ERROR with 410. */
  | { readonly type: 'expiredEvent' }
  /** The answer comes in pieces, each cut inside a character of several bytes where it has one. */
  | { readonly type: 'split' };

/** A field that is absent matches everything. */
export interface Match {
  /** `write`: all that change something. */
  readonly verb?: Verb | 'write';
  readonly kind?: ProxiedRequest['kind'];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string | RegExp;
  /** True: only pages of a list after the first, which bring a continue token. */
  readonly continues?: boolean;
}

export interface Rule extends Match {
  /** Matching requests are counted from 1: the first that is struck. With `nth` alone it is the
   *  only one; without, all are, from the first on. */
  readonly nth?: number;
  /** How many are struck before the rule is used up. */
  readonly times?: number;
  /** Share of them that is struck, 0 to 1, drawn from the seed; default all. */
  readonly rate?: number;
  readonly fault: Fault;
  /** For stream faults: watches that are open when the rule comes are struck as well. */
  readonly alsoOpen?: boolean;
}

interface Entry {
  readonly rule: Rule;
  seen: number;
  hit: number;
}

export class Rules {
  readonly #random: Random;
  readonly #entries = new Set<Entry>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** In force until the returned function is called. */
  add(rule: Rule): () => void {
    const entry = { rule, seen: 0, hit: 0 };
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  /** The fault of the first rule, in the order of their coming, that strikes this request. Every
   *  rule that matches counts it. */
  draw(request: ProxiedRequest): Fault | undefined {
    let drawn: Fault | undefined;
    for (const entry of this.#entries) {
      if (!matches(entry.rule, request)) continue;
      entry.seen++;
      if (drawn !== undefined || !this.#isDue(entry)) continue;
      entry.hit++;
      drawn = entry.rule.fault;
    }
    return drawn;
  }

  #isDue({ rule, seen, hit }: Entry): boolean {
    const { nth, times = nth === undefined ? Infinity : 1, rate = 1 } = rule;
    if (seen < (nth ?? 1) || hit >= times) return false;
    return rate >= 1 || this.#random.next() < rate;
  }
}

export function matches(match: Match, request: ProxiedRequest): boolean {
  const { verb, name } = match;
  if (verb === 'write' ? !isWrite(request) : verb !== undefined && verb !== request.verb) {
    return false;
  }
  if (name !== undefined && !isNamed(name, request.name)) return false;
  return (['kind', 'subresource', 'namespace', 'continues'] as const).every(
    (field) => match[field] === undefined || match[field] === request[field],
  );
}

const isNamed = (wanted: string | RegExp, name: string): boolean =>
  typeof wanted === 'string' ? wanted === name : wanted.test(name);
