// `coppice bench` on the embedded cluster: what it leaves, what it takes away, what it refuses.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePort } from '#test/support/ports.ts';
import { Place } from '#test/support/place.ts';
import { get, setBody } from '#test/support/workload.ts';

const patient = { timeout: 240_000 };
const place = new Place();
let pprof = '';

beforeAll(async () => {
  await place.start();
  const port = await freePort();
  pprof = `http://127.0.0.1:${port}`;
  const { program } = await place.controller({ profiling: { enabled: true, port } });
  await program.line(/controller synced/);
}, 120_000);
afterAll(() => place.end());

function bench(...flags: readonly string[]) {
  const file = join(place.folder, 'set.yaml');
  writeFileSync(file, stringify(setBody({ name: 'demo', replicas: 2 })));
  return place.programs.coppice('bench', '--kubeconfig', place.kubeconfig, '-f', file, ...flags);
}

const namespaces = async (): Promise<readonly string[]> => {
  const names = list(at(await get(place.client, '/api/v1/namespaces'), 'items')).map((one) =>
    text(at(one, 'metadata', 'name')),
  );
  return names.filter((name) => name.startsWith('coppice-bench-'));
};

const nothingLeft = (): Promise<unknown> =>
  eventually('its namespace gone', namespaces, (names) => names.length === 0, 60_000);

describe('coppice bench', () => {
  test('leaves a report, a line of time and profiles, and nothing else', patient, async () => {
    const out = join(place.folder, 'out');
    const program = bench('--steady', '1', '--scale', '3', '--pprof', pprof, '--out', out);
    const { code } = await program.ended;
    expect({ code, said: code === 0 ? '' : program.stderr.join('\n') }).toEqual({
      code: 0,
      said: '',
    });
    const report: unknown = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ set: 'demo', replicas: 2, scaledTo: 3, missingProfiles: [] });
    const steps = list(at(report, 'steps'));
    expect(steps.map((step) => at(step, 'step'))).toEqual(['deploy', 'steady', 'scale', 'delete']);
    expect(at(steps[0], 'milestones')).toMatchObject({
      pods_created: expect.any(Number),
      pods_ready: expect.any(Number),
    });
    expect(at(steps[3], 'milestones')).toMatchObject({ pods_deleted: expect.any(Number) });
    expect(readdirSync(out).toSorted()).toEqual([
      'delete-profile.pb.gz',
      'deploy-profile.pb.gz',
      'report.json',
      'report.md',
      'scale-profile.pb.gz',
      'steady-heap.pb.gz',
      'timeline.json',
    ]);
    const moments: unknown = JSON.parse(readFileSync(join(out, 'timeline.json'), 'utf8'));
    const ready = list(moments).filter(
      (moment) => at(moment, 'resource') === 'pods' && at(moment, 'what') === 'ready',
    );
    expect(ready).toHaveLength(6);
    await nothingLeft();
  });

  test('says why there are no profiles, and goes on', patient, async () => {
    const out = join(place.folder, 'unreached');
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const program = bench('--steady', '0', '--pprof', nowhere, '--out', out);
    expect((await program.ended).code).toBe(0);
    const said = readFileSync(join(out, 'report.md'), 'utf8');
    expect(said).toMatch(/no deploy-profile\.pb\.gz: .* cannot be had: .*ECONNREFUSED/);
  });

  test('takes everything away when it is interrupted', patient, async () => {
    const out = join(place.folder, 'interrupted');
    const program = bench('--steady', '600', '--pprof', pprof, '--out', out);
    await program.line(/^deploy: /);
    program.signal('SIGINT');
    expect(await program.ended).toEqual({ code: 6, signal: null });
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('interrupted by SIGINT');
    await nothingLeft();
  });

  test('gives up after the limit, and takes everything away', patient, async () => {
    const file = join(place.folder, 'large.yaml');
    const podSpec = {
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '4000' } } }],
    };
    const cliques = [{ name: 'worker', podSpec }];
    writeFileSync(file, stringify(setBody({ name: 'large', replicas: 1, cliques })));
    const out = join(place.folder, 'late');
    const flags = ['--timeout', '5', '--pprof', pprof, '--out', out, '-f', file];
    const program = place.programs.coppice('bench', '--kubeconfig', place.kubeconfig, ...flags);
    expect((await program.ended).code).toBe(5);
    expect(program.stderr.join('\n')).toContain('not 1 replicas available after 5000 ms');
    await nothingLeft();
  });

  test.each([
    [['--timeout', '0'], 1, '--timeout 0 is wrong, it must be a whole number from 1 on'],
    [['--scale', 'x'], 1, '--scale: must be a whole number >= 0, but is "x"'],
    [['--pprof', 'here'], 1, '--pprof "here" is wrong, it must be an address'],
  ] as const)('refuses %s', patient, async (flags, code, message) => {
    const program = bench(...flags);
    expect((await program.ended).code).toBe(code);
    expect(program.stderr.join('\n')).toContain(message);
  });

  test('refuses to start without a file, and with a wrong one', patient, async () => {
    const none = place.programs.coppice('bench', '--kubeconfig', place.kubeconfig);
    expect((await none.ended).code).toBe(1);
    expect(none.stderr.join('\n')).toContain('bench needs -f FILE');
    const wrong = place.programs.coppice('bench', '-f', join(place.folder, 'nothing.yaml'));
    expect((await wrong.ended).code).toBe(2);
    expect(wrong.stderr.join('\n')).toContain('nothing.yaml: cannot be read');
    expect(existsSync(join(place.folder, 'nothing'))).toBe(false);
  });
});
