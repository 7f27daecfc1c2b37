// The frame of the picture that `coppice dev` paints on a terminal, and the marks that all modules
// paint with. Pure functions to text.

const barWidth = 30;

export const bar = (done: number, all: number): string => {
  const filled = all === 0 ? barWidth : Math.round((barWidth * Math.min(done, all)) / all);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
};

export type Phase = 'waiting' | 'scheduled' | 'ready' | 'terminating';

export const mark: Readonly<Record<Phase, string>> = {
  waiting: '·',
  scheduled: '○',
  ready: '●',
  terminating: '×',
};

export const legend = '· waiting  ○ scheduled  ● ready  × terminating';

const cut = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, width - 1)}…` : line;

/** What modules paint, one below the other: at most `rows` lines of at most `columns`
 *  characters. */
export function picture(
  parts: readonly (readonly string[])[],
  size: { readonly rows: number; readonly columns: number; readonly seconds: number },
): string[] {
  const painted = parts.filter(({ length }) => length > 0).flatMap((part) => ['', ...part]);
  const lines = [`Coppice  ${size.seconds.toFixed(1)} s`, ...painted];
  return fit(lines, size.rows).map((line) => cut(line, size.columns));
}

function fit(lines: readonly string[], rows: number): string[] {
  if (lines.length <= rows || rows <= 1) return lines.slice(0, Math.max(1, rows));
  const kept = lines.slice(0, rows - 1);
  return [...kept, `… ${lines.length - kept.length} more lines`];
}
