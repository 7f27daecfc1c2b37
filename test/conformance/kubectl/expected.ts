// The expected outputs, as kubectl 1.35.5 printed them on a real kube-apiserver 1.35.5: one text
// file, a section per command. `COPPICE_RECORD=1 npm run test:real -- kubectl` writes it anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commands } from './commands.ts';

const file = fileURLToPath(new URL('./expected.txt', import.meta.url));
const head = /^# ([\w-]+): kubectl .*\n/gm;

export const isRecording = process.env['COPPICE_RECORD'] === '1';

/** By the name of the command. */
export function readExpected(): ReadonlyMap<string, string> {
  const text = readFileSync(file, 'utf8');
  const heads = [...text.matchAll(head)];
  return new Map(
    heads.map((match, index) => {
      const end = heads[index + 1]?.index ?? text.length;
      return [match[1] ?? '', text.slice(match.index + match[0].length, end - 1)];
    }),
  );
}

export function writeExpected(outcomes: ReadonlyMap<string, string>): void {
  const sections = commands.map(
    ({ name, line }) => `# ${name}: kubectl ${line.slice(0, 80)}\n${outcomes.get(name) ?? ''}\n`,
  );
  writeFileSync(file, sections.join(''));
}
