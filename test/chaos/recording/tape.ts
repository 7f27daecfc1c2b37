// The file that a recorded process writes to, line by line and at once: what is written is there
// however the process ends. Opened by preload.ts, used by http.ts.
import { openSync, writeSync } from 'node:fs';
import type { ProcessRecord } from './records.ts';

let file: number | undefined;

export function openTape(path: string): void {
  file = openSync(path, 'a');
}

export function record(line: ProcessRecord): void {
  if (file !== undefined) writeSync(file, `${JSON.stringify(line)}\n`);
}
