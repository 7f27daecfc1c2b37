// Where the plugin writes: results to one stream, notes and progress to the other, colours where a
// person looks. Progress rewrites its line on a terminal, and is a line now and then elsewhere.
import type { Paint } from './paint.ts';
import { paintFor } from './paint.ts';

export interface Output {
  /** Of results. */
  readonly paint: Paint;
  /** A line of the result, or several. */
  line(text: string): void;
  /** A sentence for people beside the result. */
  note(text: string): void;
  /** What is being waited for; undefined: nothing any more. */
  progress(text: string | undefined): void;
}

export interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly out: Stream;
  readonly error: Stream;
  readonly color: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Whether a stream gets colours (https://no-color.org). */
export function isColoured(
  { isTTY = false }: Stream,
  color: string,
  environment: OutputOptions['environment'],
): boolean {
  if (color !== 'auto') return color === 'always';
  return isTTY && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}

export function outputTo({ out, error, color, environment }: OutputOptions): Output {
  let shown = '';
  const clear = (): void => {
    if (shown !== '' && error.isTTY === true) error.write('\r\u001b[K');
    shown = '';
  };
  return {
    paint: paintFor(isColoured(out, color, environment)),
    line: (text) => {
      clear();
      out.write(`${text}\n`);
    },
    note: (text) => {
      clear();
      error.write(`${text}\n`);
    },
    progress: (text = '') => {
      if (text === shown) return;
      clear();
      if (text === '') return;
      shown = text;
      error.write(error.isTTY === true ? text.slice(0, (error.columns ?? 80) - 1) : `${text}\n`);
    },
  };
}
