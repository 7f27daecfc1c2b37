// `npm run deflake [files]`: the tests again and again, each round in another random order and with
// another seed for the property tests, until something fails. Prints the command that repeats it.
// `--rounds N` ends after N good rounds.
import { randomInt } from 'node:crypto';
import { runInForeground } from './run.mjs';

const args = process.argv.slice(2);
const at = args.indexOf('--rounds');
const rounds = at < 0 ? Number.POSITIVE_INFINITY : Number(args.splice(at, 2)[1]);
if (!(rounds > 0)) {
  console.error('deflake: --rounds wants a number above 0');
  process.exit(2);
}

for (let round = 1; round <= rounds; round += 1) {
  const seed = randomInt(1, 2 ** 31);
  const shuffle = ['--sequence.shuffle', `--sequence.seed=${seed}`];
  console.log(`deflake: round ${round}, seed ${seed}`);
  const code = await runInForeground(
    process.execPath,
    ['src/launch/vitest.mjs', 'run', '--reporter', 'dot', ...shuffle, ...args],
    { env: { ...process.env, COPPICE_SEED: String(seed) } },
  );
  if (code === 0) continue;
  // An end by signal (Ctrl-C) is no finding, nor are arguments that are wrong.
  if (code < 128 && code !== 2) {
    const repeat = ['npm test --', ...shuffle, ...args].join(' ');
    console.log(
      `deflake: failed in round ${round}; repeat it with\n  COPPICE_SEED=${seed} ${repeat}`,
    );
  }
  process.exit(code);
}
