// Tables as kubectl prints them: columns by the width of their longest text, three spaces apart,
// nothing behind the last. Also ages as kubectl writes them.
import { epoch } from '#machines/kubernetes/time.ts';

export interface Cell {
  readonly text: string;
  /** Colours it after its width was measured. */
  readonly paint?: (text: string) => string;
}

export type Row = readonly (Cell | string)[];

const cellOf = (cell: Cell | string): Cell => (typeof cell === 'string' ? { text: cell } : cell);

/** One line per row, without a line feed. What would break a line is shown as a space. */
export function table(header: readonly string[], rows: readonly Row[]): readonly string[] {
  const all = [header, ...rows].map((row) =>
    row.map(cellOf).map(({ text, ...rest }) => ({ text: oneLine(text), ...rest })),
  );
  const widths = header.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.text.length ?? 0)),
  );
  return all.map((row) =>
    row
      .map(({ text, paint = same }: Cell, column) => {
        const isLast = column === row.length - 1;
        const gap = isLast ? '' : ' '.repeat((widths[column] ?? 0) - text.length + 3);
        return paint(text) + gap;
      })
      .join('')
      .trimEnd(),
  );
}

const same = (text: string): string => text;

/** Without control characters: names and messages of others reach a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** `45s`, `12m`, `3h`, `4d` since a time of Kubernetes. */
export function age(time: unknown, now: number): string {
  const since = epoch(time);
  return since === undefined ? '-' : span(now - since);
}

export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
