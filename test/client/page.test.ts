// The program in docs/typescript-client.md runs as it stands, in the place of a user: a file of its
// own that imports the client by name, with a kubeconfig in the environment.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { Place } from '#test/support/place.ts';
import { get, setsIn } from '#test/support/workload.ts';
import { root } from '#test/tidy/sources.ts';

const place = new Place();
// Within the checkout, where the name of the package leads to it.
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache', 'client-'));

beforeAll(() => place.start({ nodes: 1 }));
afterAll(async () => {
  await place.end();
  rmSync(folder, { recursive: true, force: true });
});

test('The program of the page creates a set and scales it', async () => {
  const page = readFileSync(join(root, 'docs', 'typescript-client.md'), 'utf8');
  const programs = Array.from(page.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, text = '']) => text);
  expect(programs).toHaveLength(1);
  const file = join(folder, 'program.mts');
  writeFileSync(file, programs.join(''));
  const variables = [`KUBECONFIG=${place.kubeconfig}`];
  const program = place.programs.run('env', [...variables, process.execPath, file]);
  const { code } = await program.ended;
  expect({ code, said: program.stderr }).toEqual({ code: 0, said: [] });
  const set = await get(place.client, `${setsIn('default')}/demo`);
  expect(at(set, 'spec', 'replicas')).toBe(2);
});
