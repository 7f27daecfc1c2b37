// The clique agent as the image ships it: one program, called as NVIDIA's daemon is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '#src/bundle/build.ts';
import { Programs } from '#test/support/program.ts';

const programs = new Programs();
const folder = mkdtempSync(join(tmpdir(), 'coppice-bundle-'));
beforeAll(async () => {
  await bundle(folder);
}, 120_000);
afterAll(async () => {
  await programs.end();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]) =>
  programs.run('/usr/bin/env', [
    `PATH=${[dirname(process.execPath), process.env['PATH']].join(delimiter)}`,
    ...args.filter((arg) => arg.includes('=')),
    join(folder, 'bin', 'clique-agent'),
    ...args.filter((arg) => !arg.includes('=')),
  ]);

describe('the bundled clique agent', () => {
  test('is its own program, for the pod and for its probes', async () => {
    const check = run('COMPUTE_DOMAIN_UUID=cd', 'CLIQUE_ID=', 'check');
    await check.line(/^check succeeded \(noop, clique ID is empty\)$/);
    expect(await check.ended).toEqual({ code: 0, signal: null });
    const bare = run('-v', '4', 'run');
    await bare.line(/CDI container edits did not apply/);
    expect(await bare.ended).toEqual({ code: 2, signal: null });
  });
});
