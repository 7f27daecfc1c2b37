// Runs files of tests in the folder that it is started in, for a parent process that changes a
// source between two runs: Vitest stays loaded, and what did not change is not compiled again.
// Started by runner.ts.
import { inspect, stripVTControlCharacters } from 'node:util';
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { type Answer, type Job, notATest } from './runner.ts';

const folder = process.cwd();
const [bail, testTimeoutMs, ...projects] = process.argv.slice(2);

/** Files run in the order in which they were asked for. */
class AsAsked {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => rank(a) - rank(b));
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

let asked: readonly string[] = [];
/** Of the run under way: Vitest itself keeps those of earlier runs. */
let ended: TestModule[] = [];
const rank = ({ moduleId }: TestSpecification): number => asked.indexOf(pathOf(moduleId));
const pathOf = (moduleId: string): string => moduleId.slice(folder.length + 1);

const vitest = await createVitest({
  root: folder,
  watch: false,
  bail: Number(bail),
  project: projects,
  cache: false,
  reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
  maxWorkers: 1,
  update: 'none',
  testTimeout: Number(testTimeoutMs),
  sequence: { sequencer: AsAsked },
});
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();

process.on('message', (job: Job) => {
  void run(job).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run({ changed, tests, title }: Job): Promise<Answer> {
  for (const path of changed) vitest.invalidateFile(`${folder}/${path}`);
  asked = tests;
  if (title === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(new RegExp(title));
  const chosen = specifications.filter((specification) => rank(specification) >= 0);
  ended = [];
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen, false);
  const files = ended.map((module) => {
    const cases = [...module.children.allTests()];
    const ended = (state: string) => cases.filter((test) => test.result().state === state);
    const failed = ended('failed').map(({ fullName }) => fullName);
    const suites = [...module.children.allSuites()];
    const errors = [
      ...module.errors(),
      ...suites.flatMap((suite) => suite.errors()),
      ...cases.flatMap((test) => test.result().errors ?? []),
    ];
    const isOther = failed.length === 0 && module.state() === 'failed';
    return {
      path: pathOf(module.moduleId),
      passed: ended('passed').length,
      failed: isOther ? [notATest] : failed,
      messages: errors.map(({ message, diff }) =>
        stripVTControlCharacters(`${textOf(message)}\n${textOf(diff ?? '')}`),
      ),
      ms: Math.round(module.diagnostic().duration),
    };
  });
  return { files, errors: unhandledErrors.map((error) => textOf(error)) };
}

/** Tests throw what they like, also what is no text and cannot become one. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || value instanceof Error ? String(value) : inspect(value);
