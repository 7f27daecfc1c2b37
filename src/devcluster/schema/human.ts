// How Kubernetes writes ages and selectors for people; used by the cells of tables.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** A duration in milliseconds as kubectl shows it: `5s`, `3m20s`, `2d4h`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return two(seconds, minute, 'm', 1, 's');
  if (seconds < 3 * hour) return `${Math.trunc(seconds / minute)}m`;
  if (seconds < 8 * hour) return two(seconds, hour, 'h', minute, 'm');
  if (seconds < 2 * day) return `${Math.trunc(seconds / hour)}h`;
  if (seconds < 8 * day) return two(seconds, day, 'd', hour, 'h');
  if (seconds < 2 * year) return `${Math.trunc(seconds / day)}d`;
  if (seconds < 8 * year) return two(seconds, year, 'y', day, 'd');
  return `${Math.trunc(seconds / year)}y`;
}

function two(
  seconds: number,
  big: number,
  bigName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.trunc((seconds % big) / small);
  const head = `${Math.trunc(seconds / big)}${bigName}`;
  return rest === 0 ? head : `${head}${rest}${smallName}`;
}

/** The age of an RFC 3339 time; `<unknown>` for none, `<invalid>` for nonsense. */
export function age(time: unknown, now: number): string {
  if (time === undefined || time === null || time === '') return '<unknown>';
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? '<invalid>' : humanDuration(now - then);
}
