// What one claim costs (docs/agent-sandbox.md, "Writes of a claim"): three writes until it is
// ready, and those behind it. The status of its pool is not counted: it is one a second at most,
// however many claims come.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { root } from '#test/tidy/sources.ts';
import { claim, containers, make, pathOf } from './objects.ts';
import { withSandboxes } from './stage.ts';

const readVerbs: readonly string[] = ['get', 'list', 'watch'];

/** In order, as the server has answered them. */
async function writesOfOne(given: Partial<Configuration['agentSandbox']>) {
  let writes: readonly string[] = [];
  await withSandboxes(async ({ world, requests, start }) => {
    await start(given);
    const template = { podTemplate: { spec: { containers } } };
    await make(world, 'SandboxTemplate', { name: 'python' }, template);
    const spec = { replicas: 3, sandboxTemplateRef: { name: 'python' } };
    await make(world, 'SandboxWarmPool', { name: 'warm' }, spec);
    await world.clock.advance(60_000);
    const before = requests.length;
    await claim(world, 'mine');
    await world.clock.advance(60_000);
    writes = requests
      .slice(before)
      .filter(({ verb, resource }) => !readVerbs.includes(verb) && resource !== 'sandboxwarmpools')
      .map(({ verb, resource, subresource: sub, code }) =>
        [verb, sub === '' ? resource : `${resource}/${sub}`, code].join(' '),
      );
    const mine = await world.get(pathOf('SandboxClaim', 'mine'));
    expect(list(at(mine, 'status', 'conditions'))).toMatchObject([{ status: 'True' }]);
  });
  return writes;
}

const path = ['patch sandboxclaims 200', 'patch sandboxes 200', 'update sandboxclaims/status 200'];

const behind = [
  'create pods 201',
  'create sandboxes 201',
  'patch pods 200',
  'update sandboxes/status 200',
  'update sandboxes/status 200',
];

test('A claim of a ready member costs three writes until it is ready, and ten in all (G5)', async () => {
  const writes = await writesOfOne({});
  expect(writes.slice(0, 3)).toEqual(path);
  const told = ['create events 201', 'patch sandboxclaims 200'];
  expect(writes.slice(3).toSorted()).toEqual([...behind, ...told].toSorted());
});

test('Events and observability annotations are behind a claim, and can be left out', async () => {
  const claims = { ...defaultConfiguration.agentSandbox.claims };
  const writes = await writesOfOne({
    claims: { ...claims, events: false, observabilityAnnotations: false },
  });
  expect(writes.slice(0, 3)).toEqual(path);
  expect(writes.slice(3).toSorted()).toEqual(behind);
});

test('The page justifies each of these writes, and says which a claim waits for', () => {
  const page = readFileSync(join(root, 'docs/agent-sandbox.md'), 'utf8');
  const [, rest = ''] = page.split('\n### Writes of a claim\n');
  const [section = ''] = rest.split('\n### ');
  const rows = [...section.matchAll(/^\| ([\d, ]+) \| .+? \| .*? \| (yes|no) \| .+ \|$/gm)];
  const numbers = rows.flatMap(([, each = '']) => each.split(', ').map(Number));
  expect(numbers).toEqual(Array.from({ length: path.length + behind.length + 2 }, (_, n) => n + 1));
  expect(rows.filter(([, , waits]) => waits === 'yes')).toHaveLength(path.length);
});
