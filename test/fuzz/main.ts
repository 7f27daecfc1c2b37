// `npm run fuzz`: runs every parser of what others wrote on inputs that coverage guides, for so
// many seconds each. Ends with 1 where one threw or took too long; the input is kept in a file.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { flagsOrEnd } from '#test/support/flags.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { root } from '#test/tidy/sources.ts';
import { Coverage } from './coverage.ts';
import { type Finding, fuzz } from './fuzzer.ts';
import { drawing } from './mutations.ts';
import { targets } from './targets.ts';

const usage = `Usage: npm run fuzz [-- FLAGS]
Parsers: ${targets.map(({ name }) => name).join(', ')}.`;

const { values } = flagsOrEnd(
  usage,
  {
    seconds: { type: 'string', value: 'N', default: '30', about: 'for each parser (30)' },
    seed: { type: 'string', value: 'N', default: '1', about: 'of what is drawn (1)' },
    'limit-ms': { type: 'string', value: 'N', default: '50', about: 'for one input (50)' },
    only: { type: 'string', value: 'NAME', about: 'this parser alone' },
  },
  false,
);

const chosen = targets.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) {
  process.stderr.write(`--only "${values.only}" is no parser; see --help\n`);
  process.exit(2);
}

const sources = pathToFileURL(root).href;
const library = '/node_modules/yaml/';
const coverage = new Coverage(
  (url) =>
    url.startsWith(sources) &&
    (url.includes(library) || !/\/(?:node_modules|test)\//.test(url.slice(sources.length))),
);
const draw = drawing(seeded(Number(values.seed)).next);
const findings: Finding[] = [];

for (const target of chosen) {
  const end = performance.now() + Number(values.seconds) * 1000;
  const judged = fuzz(target, {
    draw,
    coverage,
    now: () => performance.now(),
    limitMs: Number(values['limit-ms']),
    isOver: () => performance.now() > end,
  });
  findings.push(...judged.findings);
  const { runs, kept, slowestMs } = judged;
  console.log(
    `${target.name.padEnd(14)} ${runs} inputs, ${kept} reached something new, ` +
      `the slowest took ${slowestMs.toFixed(1)} ms, ${judged.findings.length} findings`,
  );
}
coverage.stop();

const folder = join(root, '.cache', 'fuzz');
for (const { target, input, what } of findings) {
  mkdirSync(folder, { recursive: true });
  const mark = createHash('sha256').update(input).digest('hex').slice(0, 8);
  const file = join(folder, `${target}-${mark}`);
  writeFileSync(file, input);
  console.log(`\n${target}: ${file}\n${what.split('\n').slice(0, 8).join('\n')}`);
}
process.exitCode = findings.length === 0 ? 0 : 1;
