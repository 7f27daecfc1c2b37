// Profiles of a real controller as an operator takes them: with Go's own tool, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#test/support/ports.ts';
import { Place } from '#test/support/place.ts';
import { without } from '#test/support/tools.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';

/** Go builds its tool when it is used for the first time. */
const patient = { timeout: 600_000 };
const skip = without('go');
const place = new Place();
let address = '';

beforeAll(async () => {
  if (skip !== '') return;
  await place.start();
  const port = await freePort();
  address = `http://127.0.0.1:${port}/debug/pprof`;
  await place.controller({ profiling: { enabled: true, port } });
  await createNamespace(place.client, 'profiled');
}, 120_000);
afterAll(() => place.end());

async function pprof(path: string): Promise<string> {
  const args = ['tool', 'pprof', '-symbolize=none', '-top', '-cum', '-nodecount=1000'];
  const program = place.programs.run('go', [...args, `${address}/${path}`]);
  const { code } = await program.ended;
  const said = [...program.stderr, ...program.stdout].join('\n');
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  return said;
}

describe.skipIf(skip !== '')(`go tool pprof of a controller that deploys${skip}`, () => {
  test('shows where its CPU time goes', patient, async () => {
    await pprof('profile?seconds=1');
    const asked = pprof('profile?seconds=5');
    await createSet(place.client, 'profiled', { name: 'large', replicas: 50 });
    const said = await asked;
    expect(said).toContain('Type: cpu');
    expect(said).toMatch(/\breduce\b/);
    expect(said).toMatch(/\(garbage collector\)|\(program\)/);
  });

  test('shows what its memory is used for', patient, async () => {
    const asked = pprof('heap?seconds=5');
    await createSet(place.client, 'profiled', { name: 'larger', replicas: 50 });
    const said = await asked;
    expect(said).toContain('Type: inuse_space');
    expect(said).toMatch(/\(anonymous [\w-]+\.ts:\d+\)/); // no file of others is one of TypeScript
  });
});
