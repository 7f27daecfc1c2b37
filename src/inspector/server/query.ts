// Reads the query of a request: what is not known, or is not what it has to be, is said by name.
// Called by the handlers of routes.ts.
import { refusal, type RefusedAnswer } from '#bus/answers.ts';

export const malformed = (message: string): RefusedAnswer => refusal('MALFORMED', message);

/** Why parameters other than these, or one of them twice, are refused. */
export function wrongParameters(
  query: URLSearchParams,
  known: readonly string[],
): RefusedAnswer | undefined {
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      return malformed(`no parameter "${name}"; there is ${known.join(', ') || 'none'}`);
    }
    if (query.getAll(name).length > 1) return malformed(`${name} is given twice`);
  }
  return undefined;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The number, the fallback where none is given, or why it is refused. */
export function numberIn<T>(
  query: URLSearchParams,
  name: string,
  { least, most }: Bounds,
  fallback: T,
): number | T | RefusedAnswer {
  const given = query.get(name);
  if (given === null) return fallback;
  const number = Number(given);
  if (/^\d{1,16}$/.test(given) && number >= least && number <= most) return number;
  return malformed(`${name} must be a whole number from ${least} to ${most}`);
}

export const anyPlace = { least: 0, most: Number.MAX_SAFE_INTEGER } as const;
