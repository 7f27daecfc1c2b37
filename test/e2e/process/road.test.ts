// `npm run road` on a real controller: that it follows both roads from the line of the watch to the
// last request and counts what ran there, and nothing else.
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { at, count, list, strings, text } from '#machines/kubernetes/json.ts';
import { type Program, Programs } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../road/main.ts', import.meta.url));
const programs = new Programs();
afterAll(() => programs.end());

const road = (...args: readonly string[]): Program =>
  programs.run(process.execPath, [main, ...args]);

const stations = (one: unknown): readonly (readonly string[])[] =>
  list(at(one, 'stretches')).flatMap((stretch) => list(at(stretch, 'stations')).map(strings));

describe('The road', () => {
  test('counts the files from the watch to the PUT, for both events', async () => {
    const program = road('--json');
    expect(await program.ended).toMatchObject({ code: 0 });
    const roads = list(JSON.parse(program.stdout.join('')));
    expect(roads.map((one) => text(at(one, 'road')))).toEqual([
      'pod Ready to PodClique status to PodCliqueSet status',
      '3 to 5 replicas',
    ]);
    for (const one of roads) {
      const files = new Set(stations(one).flat());
      expect(count(at(one, 'files'))).toBe(files.size);
      expect(stations(one)[0]).toContain('src/kube/transport/watch-stream.ts');
      expect([...files]).toEqual(
        expect.arrayContaining(['src/kube/transport/http.ts', 'src/kube/write.ts']),
      );
      // Ran at the start alone, in the cluster, or here.
      expect(
        [...files].filter((file) => /^(src\/(cli|config|devcluster)|test)\//.test(file)),
      ).toEqual([]);
    }
    const [ready = [], scaled = []] = roads.map((one) => stations(one).flat());
    expect(scaled.filter((file) => !ready.includes(file))).not.toEqual([]);
  }, 120_000);

  test('says how it is used, and what is wrong with an argument', async () => {
    const help = road('--help');
    expect(await help.ended).toMatchObject({ code: 0 });
    expect(help.stdout[0]).toBe('Usage: npm run road [-- --json]');
    const wrong = road('--jsn');
    expect(await wrong.ended).toMatchObject({ code: 2 });
    expect(wrong.stderr).toEqual(['road: no argument "--jsn"; see --help']);
  }, 60_000);
});
