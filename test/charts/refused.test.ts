// Values that Helm refuses before it changes anything: by the schema of the chart, and where values
// go wrong together. Each error names the value, and what would be right.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helms, rendered, unbuilt } from '#test/cluster/chart.ts';
import { wrongValues } from './wrong-values.ts';

describe.each(helms)('Values that are wrong, to %s', (helm) => {
  const skip = unbuilt(helm);
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-values-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.skipIf(skip !== '').for(wrongValues)(`are refused: %s${skip}`, async ([, values, ...said]) => {
    const error: unknown = await rendered(folder, values, { helm }).then(
      () => 'rendered',
      (problem: unknown) => problem,
    );
    for (const words of said) expect(String(error)).toContain(words);
  });
});
