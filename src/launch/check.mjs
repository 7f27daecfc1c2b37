// `npm run check`: format, lint, types and the quick tests (tidy and unit), side by side. Prints
// one line per step as it ends and the output of those that failed; meant for before every push.
import { spawn } from 'node:child_process';

/** @type {Readonly<Record<string, readonly string[]>>} */
const steps = {
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  lint: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  types: ['node_modules/typescript/bin/tsc', '-p', '.'],
  page: ['node_modules/typescript/bin/tsc', '-p', 'src/inspector/page'],
  unit: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--reporter', 'dot'],
};

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} true where the step passed
 */
function runStep(name, args) {
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} ${seconds} s`);
      if (code !== 0) process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => steps[name] === undefined);
if (unknown.length > 0) {
  console.error(`check: no step "${unknown[0]}"; the steps are ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}
const wanted = Object.entries(steps).filter(([name]) => !chosen.length || chosen.includes(name));
const passed = await Promise.all(wanted.map(([name, args]) => runStep(name, args)));
process.exitCode = passed.every(Boolean) ? 0 : 1;
