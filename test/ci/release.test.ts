// .github/workflows/release.yml, which has not run: it is a workflow by the schema of GitHub, as
// far as it uses that, its parts refer to what is there, its scripts parse, and what it asks of the
// checkout holds. With actionlint on PATH, which knows the whole schema, that has its say too.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { at, isObject, list, object, text } from '#machines/kubernetes/json.ts';
import { shell, without } from '#test/support/tools.ts';
import { root } from '#test/tidy/sources.ts';
import { alerts } from '#tools/monitoring/alerts.ts';
import { runbookUrl } from '#tools/monitoring/rules.ts';

const path = '.github/workflows/release.yml';
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const workflow: unknown = parse(read(path));
const manifest: unknown = JSON.parse(read('package.json'));
const version = text(at(manifest, 'version'));

interface Job {
  readonly name: string;
  readonly body: unknown;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}
const jobs: readonly Job[] = Object.entries(object(at(workflow, 'jobs'))).map(([name, body]) => ({
  name,
  body,
  steps: list(at(body, 'steps')).map(object),
}));
const steps = jobs.flatMap(({ name, steps: own }) => own.map((step) => ({ job: name, step })));
const scripts = steps
  .filter(({ step }) => 'run' in step)
  .map(({ job, step }) => ({ job, script: text(step['run']) }));

/** What is in `keys` may be there, with `!` it must. */
function misfits(value: unknown, keys: readonly string[], where: string): readonly string[] {
  if (!isObject(value)) return [`${where} is no mapping`];
  const known = new Set(keys.map((key) => key.replace('!', '')));
  return [
    ...Object.keys(value).flatMap((key) => (known.has(key) ? [] : [`${where}.${key}`])),
    ...keys.flatMap((key) =>
      key.endsWith('!') && !Object.hasOwn(value, key.slice(0, -1)) ? [`${where} lacks ${key}`] : [],
    ),
  ];
}

const scopes = ['contents', 'packages', 'id-token', 'attestations'];

/** Jobs, by the schema: https://json.schemastore.org/github-workflow.json. */
const ofJob = ({ name, body, steps: own }: Job): readonly string[] => [
  ...misfits(
    body,
    [
      'runs-on!',
      'steps!',
      'permissions!',
      'timeout-minutes!',
      'needs',
      'outputs',
      'env',
      'strategy',
    ],
    name,
  ),
  ...misfits(at(body, 'permissions'), scopes, `${name}.permissions`),
  ...Object.values(object(at(body, 'permissions')))
    .map(text)
    .filter((one) => one !== 'read' && one !== 'write'),
  ...own.flatMap((step, index) => [
    ...misfits(
      step,
      'run' in step
        ? ['run!', 'name', 'id', 'if', 'env', 'shell']
        : ['uses!', 'with', 'name', 'id', 'if', 'env'],
      `${name}[${index}]`,
    ),
  ]),
];

describe('The workflow of a release', () => {
  test('is one by the schema', () => {
    const keys = ['name!', 'on!', 'permissions!', 'jobs!', 'concurrency', 'env'];
    expect([...misfits(workflow, keys, 'workflow'), ...jobs.flatMap(ofJob)]).toEqual([]);
    expect(at(workflow, 'on')).toEqual({ push: { tags: ['v*'] } });
    expect(at(workflow, 'permissions')).toEqual({});
  });

  const unlinted = without('actionlint');
  test.skipIf(unlinted !== '')(`has nothing that actionlint finds${unlinted}`, async () => {
    const { stdout } = await shell(`actionlint ${join(root, path)} || true`);
    expect(stdout).toBe('');
  });

  test('names jobs, steps and outputs that are there, and waits for what it reads', () => {
    const missing = jobs.flatMap(({ name, body, steps: own }) => {
      const needs = list(at(body, 'needs'));
      const waits = new Set(needs.length > 0 ? needs : [at(body, 'needs')]);
      const said = JSON.stringify(body);
      const others = Array.from(
        said.matchAll(/needs\.(\w+)\.outputs\.(\w+)/g),
        ([, job, output]) => {
          const there = at(jobs.find((one) => one.name === job)?.body, 'outputs', output ?? '');
          return there === undefined || !waits.has(job) ? [`${name}: ${job}.${output}`] : [];
        },
      );
      const ids = new Set(own.map(({ id }) => id));
      const before = Array.from(said.matchAll(/steps\.(\w+)\.outputs/g), ([, id]) =>
        ids.has(id) ? [] : [`${name}: ${id}`],
      );
      return [...others.flat(), ...before.flat()];
    });
    expect(missing).toEqual([]);
  });

  test('uses actions by a version, and leaves no credentials in the checkout', () => {
    const used = steps.flatMap(({ step }) => ('uses' in step ? [text(step['uses'])] : []));
    expect(used.filter((one) => !/^[\w-]+\/[\w-]+@v\d+$/.test(one))).toEqual([]);
    const checkouts = steps.filter(({ step }) =>
      text(step['uses']).startsWith('actions/checkout@'),
    );
    expect(checkouts).toHaveLength(jobs.length);
    for (const { step } of checkouts) {
      expect(step['with']).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('writes to the registry, and signs, only in the jobs that do so', () => {
    const writers = (scope: string): readonly string[] =>
      jobs.filter(({ body }) => at(body, 'permissions', scope) === 'write').map(({ name }) => name);
    expect(writers('packages')).toEqual(['image', 'chart']);
    expect(writers('contents')).toEqual(['release']);
    const signing = scripts.filter(({ script }) => /cosign (?:sign|attest)/.test(script));
    expect(new Set(signing.map(({ job }) => job))).toEqual(new Set(writers('id-token')));
  });

  test('builds on a digest for each platform, and signs and attests that build without a key (S-15)', () => {
    const own = jobs.find(({ name }) => name === 'image');
    const all = own?.steps ?? [];
    const places = ['base', 'build'].map((id) => all.findIndex((step) => step['id'] === id));
    const [base = -1, build = -1] = places;
    expect(text(all[base]?.['run'])).toContain('base=${tag%:*}@$digest');
    expect(all[build]?.['with']).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      'build-args': 'BASE=${{ steps.base.outputs.base }}',
      provenance: 'mode=max',
    });
    expect(base).toBeLessThan(build);
    const after = all.slice(build + 1);
    const signing = after.find(({ run }) => text(run).includes('cosign sign'));
    expect(at(signing, 'env', 'DIGEST')).toBe('${{ steps.build.outputs.digest }}');
    const signed = text(signing?.['run']).trim().split('\n');
    expect(signed.filter((line) => !line.endsWith('"$IMAGE@$DIGEST"'))).toEqual([]);
    expect(signed.map((line) => / (sign|--type \w+) /.exec(line)?.[1])).toEqual([
      'sign',
      '--type cyclonedx',
      '--type spdxjson',
    ]);
    expect(JSON.stringify(scripts)).not.toMatch(/cosign [^"]*--key/);
    const proven = after.find((step) => text(step['uses']).includes('build-provenance'));
    expect(at(proven, 'with', 'subject-digest')).toBe('${{ steps.build.outputs.digest }}');
  });

  test.each(scripts)(
    'has in $job a script that parses, without an expression in it',
    async (one) => {
      // An expression would be put into the text of the script before a shell reads it.
      expect(one.script).not.toContain('${{');
      const quoted = `'${one.script.replaceAll("'", `'\\''`)}'`;
      expect(await shell(`bash -n -c ${quoted}`)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('runs scripts of npm that are there', () => {
    const names = scripts.flatMap(({ script }) =>
      Array.from(script.matchAll(/npm run (?:-s )?([\w:]+)/g), ([, name = '']) => name),
    );
    expect(new Set(names)).toEqual(new Set(['check', 'image', 'sbom', 'build']));
    const there = Object.keys(object(at(manifest, 'scripts')));
    expect(names.filter((name) => !there.includes(name))).toEqual([]);
  });

  test('finds in the checkout what it looks for', async () => {
    expect(read('charts/coppice/Chart.yaml')).toContain(
      `\nversion: ${version}\nappVersion: ${version}\n`,
    );
    const values = read('charts/coppice/values.yaml');
    expect(values).toMatch(/^ {2}repository: coppice$/m);
    expect(values).toContain(`\n  runbookUrl: ${runbookUrl}\n`);
    expect(read('Dockerfile')).toMatch(/^ARG BASE=[^@\s]+:[\w.-]+$/m);
    const helm = steps.find(({ step }) => text(step['uses']).startsWith('azure/setup-helm'));
    expect(read('test/cluster/recipe.ts')).toContain(
      `'${text(at(helm?.step, 'with', 'version')).slice(1)}'`,
    );
    const notes = scripts.flatMap(({ script }) => /^awk .+(?= > notes\.md)/m.exec(script) ?? [])[0];
    const { stdout } = await shell(`cd ${root}; VERSION=${version}; ${notes}`);
    expect(stdout).toContain('### Added');
    expect(stdout).not.toContain('## [');
  });

  test('makes each link to a runbook an address in the repository, at the tag', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-release-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(root, 'charts/coppice'), join(folder, 'charts/coppice'), { recursive: true });
    const { script = '' } =
      scripts.find((one) => one.script.includes('helm package charts/coppice')) ?? {};
    const SOURCES = 'https://git.example.com/a/b/blob/v1.2.3';
    const ran = await shell(`cd ${folder}; helm() { :; }\n${script}`, { SOURCES, IMAGE: 'i' });
    expect(ran).toMatchObject({ code: 0 });
    const changed = (file: string): unknown =>
      parse(readFileSync(join(folder, 'charts/coppice', file), 'utf8'));
    const url = `${SOURCES}/${runbookUrl}`;
    expect(at(changed('values.yaml'), 'prometheusRule', 'runbookUrl')).toBe(url);
    const urls = list(at(changed('monitoring/alerts.yaml'), 'groups'))
      .flatMap((group) => list(at(group, 'rules')))
      .map((rule) => text(at(rule, 'annotations', 'runbook_url')));
    expect(urls).toEqual(alerts.map(({ name }) => url.replace('%s', name)));
  });
});
