// CI from its first stage to its last line, with an npm that only says how it ended.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '#test/tidy/sources.ts';

/** An npm for each script; `report` is what the suites of tests leave. */
interface Npm {
  readonly build?: string;
  readonly tests?: string;
  readonly mutate?: string;
  readonly report?: object;
}

const passed = { ancestorTitles: ['A'], fullName: 'A x', status: 'passed', failureMessages: [] };
const reportOf = (...results: object[]) => ({
  testResults: [{ name: join(root, 'a.ts'), status: 'passed', assertionResults: results }],
});

async function ci({ build = '', tests = '', mutate = '', report = reportOf(passed) }: Npm) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-stages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report)}\n`);
  const script = `#!/bin/sh
if [ "$2" = cluster ]; then ${build === '' ? 'exit 0' : build}; fi
for each in "$@"; do
  case "$each" in --outputFile.json=*)
    while read -r line; do echo "$line"; done <"${folder}/report.json" >"\${each#*=}";;
  esac
done
echo "stage $2 unbuilt=$COPPICE_CLUSTER_UNBUILT"
echo "seed of $2: $COPPICE_PROPERTY_SEED"
if [ "$2" = mutate ]; then ${mutate === '' ? 'exit 0' : mutate}; fi
${tests}`;
  writeFileSync(join(folder, 'npm'), `${script}\n`);
  const tree = '#!/bin/sh\nif [ "$2" = "HEAD^{tree}" ]; then echo 00000ff0123456789; fi\n';
  writeFileSync(join(folder, 'git'), tree);
  for (const program of ['npm', 'git']) chmodSync(join(folder, program), 0o755);
  // Nothing else is on the PATH: no Debian package is installed by this test.
  const env = { PATH: folder, COPPICE_EFFORT: '0.5' };
  const args = [join(root, '.ci/stages.mjs')];
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n') }),
    );
  });
}

describe('The stages of CI', () => {
  it('end with the count, and say what was scaled and not installed', async () => {
    const { code, lines } = await ci({});
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '1 passed, 0 failed' });
    expect(lines).toContainEqual(expect.stringMatching(/^scaled: simulated days: \d+ instead of/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^scaled: test\/e2e\/faults\/long.test.ts on the real/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^not installed: umoci: there is no apt-get/),
    );
    expect(lines.filter((line) => line.startsWith('stage '))).toEqual(
      ['test', 'mutate', 'test:long', 'test:real'].map((stage) => `stage ${stage} unbuilt=`),
    );
  });

  it('draw properties by a seed of the tree, which they say', async () => {
    const { lines } = await ci({});
    expect(lines).toContain('.ci: properties are drawn by COPPICE_PROPERTY_SEED=255');
    expect(lines.filter((line) => line.startsWith('seed of '))).toEqual([
      'seed of test: 255',
      'seed of mutate: ',
      'seed of test:long: 255',
      'seed of test:real: 255',
    ]);
  });

  it('skip the real control plane by name without Go, and fail where it could not be built', async () => {
    const without = await ci({ build: 'echo Go is not there >&2; exit 75' });
    expect(without.lines).toContain('stage test:real unbuilt=Go is not there');
    expect(without).toMatchObject({ code: 0 });
    const once = without.lines.filter((line) => line.includes('real control plane alone'));
    expect(once).toEqual([]);
    const failed = await ci({ build: 'echo no space left >&2; exit 1' });
    expect({ code: failed.code, last: failed.lines.at(-1) }).toEqual({
      code: 1,
      last: '1 passed, 1 failed',
    });
  });

  it('fail where too many tests needed a second attempt, and name them', async () => {
    const again = { ...passed, failureMessages: ['Error: late'] };
    const one = await ci({ report: reportOf(again) });
    expect(one.lines.filter((line) => line === 'retried: a.ts: A x: Error: late')).toHaveLength(3);
    expect(one.lines.at(-1)).toBe('1 passed, 0 failed');
    const { code, lines } = await ci({ report: reportOf(again, { ...again, fullName: 'A y' }) });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '2 passed, 1 failed' });
  });

  it('fail where too many mutants of the sample survive', async () => {
    const { code, lines } = await ci({ mutate: 'exit 1' });
    expect(lines).toContain('failed: mutate ended with 1, no report');
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '1 passed, 1 failed' });
  });

  it('fail where a suite ended badly though its report is good', async () => {
    const { code, lines } = await ci({ tests: 'exit 3' });
    expect(lines).toContain('failed: test:long ended with 3');
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '1 passed, 3 failed' });
  });
});
