// What a second attempt shows: vitest runs tests that fail at their first one, as CI does.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { count } from '../../.ci/count.mjs';

const folder = mkdtempSync(join(tmpdir(), 'coppice-attempts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('A second attempt', () => {
  it('draws what the first one drew, and is named where it passes', async () => {
    const [report, drawn] = [join(folder, 'report.json'), join(folder, 'drawn')];
    const config = ['--config', 'test/ci/attempts/vitest.config.ts'];
    const output = ['--reporter=json', `--outputFile.json=${report}`];
    const { COPPICE_SEED: _, COPPICE_PROPERTY_SEED: __, ...env } = process.env;
    const code = await new Promise<number>((resolve) => {
      const args = ['node_modules/vitest/vitest.mjs', 'run', ...config, ...output];
      execFile(process.execPath, args, { env: { ...env, COPPICE_DRAWN: drawn } }, (error) =>
        resolve(Number(error?.code ?? 0)),
      );
    });
    const [first, second, other] = readFileSync(drawn, 'utf8').trim().split('\n');
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    const { retried, failures, ...counts } = count([
      { script: 'test', report, code, isCut: false },
    ]);
    expect(counts).toEqual({ passed: 2, skipped: [] });
    expect(failures).toHaveLength(1);
    expect(retried).toEqual([expect.stringMatching(/A test passes at its second attempt/)]);
  });
});
