// The benchmark of the inspector small: that every figure is measured, on a page of few rows and on
// a deploy of few pods. What they are says the benchmark itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { withoutBrowser } from '#test/inspector/page/browser.ts';
import { natsSkip } from '#test/support/nats.ts';
import { measureDeploy } from './controller.ts';
import { measurePage } from './page.ts';

const out = mkdtempSync(join(tmpdir(), 'coppice-viewers-'));
const command = {
  command: 'inspector',
  cluster: 'embedded',
  nodes: 2,
  out,
  rows: 300,
  replicas: 2,
  viewers: 2,
  idleSeconds: 1,
  quietSeconds: 1,
  repeat: 1,
  frames: 12,
  changes: 5,
  only: 'all',
} as const;
const said: string[] = [];
const say = (line: string): void => void said.push(line);
const patient = { timeout: 180_000 };

describe('The benchmark of the inspector', () => {
  afterAll(() => rmSync(out, { recursive: true }));

  test.skipIf(withoutBrowser !== '')(
    `measures the page beside the bare one${withoutBrowser}`,
    patient,
    async () => {
      const [result = {}] = await measurePage(command, say);
      const numbers = Object.entries(result).filter(([, value]) => !(Number(value) > 0));
      expect(numbers).toEqual([]);
      expect(result).toMatchObject({ rows: 300, paints_seen: 5 });
    },
  );

  test.skipIf(natsSkip !== '')(
    `measures a deploy that viewers watch${natsSkip}`,
    patient,
    async () => {
      const watched = await measureDeploy(command, command.viewers, say);
      expect(Number(watched['ready_s'])).toBeGreaterThan(0);
      expect(Number(watched['longest_stall_ms'])).toBeGreaterThan(0);
      expect(Number(watched['facts_per_viewer_s'])).toBeGreaterThan(0);
      expect(Number(watched['idle_cpu_percent'])).toBeLessThan(100);
    },
  );
});
