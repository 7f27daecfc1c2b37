// Holds every object to its share of the log: a healthy one writes five lines or fewer, and one
// that fails in a circle cannot drown the others. Lines without an object (start, stop, leases)
// always pass. The next line of an object that was cut short says how many were left out.
import type { Telemetry } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** Lines per object and window. */
const share = {
  quiet: { lines: 5, windowMs: 600_000 },
  loud: { lines: 20, windowMs: 60_000 },
} as const;

/** Objects that are remembered; the one not heard of for longest is forgotten first. */
const maxObjects = 20_000;

interface Account {
  startedAt: number;
  lines: number;
  suppressed: number;
}

/** How much a line matters. */
export type Level = Parameters<Telemetry['log']>[0];

/** The least severe first. */
export const levels: readonly Level[] = ['debug', 'info', 'warn', 'error'];

interface Verdict {
  readonly write: boolean;
  /** Lines of this object left out since the last one that was written. */
  readonly suppressed: number;
}

/** `now` in milliseconds. */
export function createShares(now: () => number): (level: Level, fields: JsonObject) => Verdict {
  const accounts = new Map<string, Account>();
  return (level, fields) => {
    if (typeof fields['name'] !== 'string') return { write: true, suppressed: 0 };
    const volume = level === 'warn' || level === 'error' ? 'loud' : 'quiet';
    const { kind = fields['controller'], namespace, name } = fields;
    const key = [volume, kind, namespace, name].map(String).join('/');
    const account = accounts.get(key) ?? { startedAt: now(), lines: 0, suppressed: 0 };
    accounts.delete(key); // to the end: the order of the map is the order of use
    accounts.set(key, account);
    const [oldest] = accounts.keys();
    if (accounts.size > maxObjects && oldest !== undefined) accounts.delete(oldest);
    return judge(account, share[volume], now());
  };
}

function judge(
  account: Account,
  { lines, windowMs }: { readonly lines: number; readonly windowMs: number },
  at: number,
): Verdict {
  if (at - account.startedAt >= windowMs) {
    account.startedAt = at;
    account.lines = 0;
  }
  if (account.lines >= lines) {
    account.suppressed += 1;
    return { write: false, suppressed: 0 };
  }
  account.lines += 1;
  const { suppressed } = account;
  account.suppressed = 0;
  return { write: true, suppressed };
}
