// The benchmark of the activator as a proxy small: that each contender of Node passes requests, and
// that what is not installed is named. What the figures are says the benchmark itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contenderNames } from './contenders/names.ts';
import { measureLoad } from './measure.ts';
import { missingPrograms } from './processes.ts';
import type { ProxyCommand } from './settings.ts';

const ofNode = contenderNames.filter((name) => name !== 'nginx' && name !== 'haproxy');
const command: ProxyCommand = {
  command: 'activator-proxy',
  only: ofNode,
  loads: ['open'],
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 0,
  connections: 4,
  rate: 50,
  workMs: 5,
  bytes: 64,
  profile: undefined,
};

const missing = await missingPrograms(['taskset']);

describe('The benchmark of the activator as a proxy', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-proxies-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.skipIf(missing.length > 0 || availableParallelism() < 2)(
    'sends each request through each contender to a backend, and none fails',
    async () => {
      const field = { backends: 4, workMs: 5, bytes: 64, contenders: ofNode };
      const options = { ...field, folder, profile: undefined };
      const rounds = await measureLoad('open', command, options, () => {});
      expect([...rounds.keys()]).toEqual(ofNode);
      for (const [round] of rounds.values()) {
        expect(round).toMatchObject({ requests: 100, failed: 0 });
        expect(round?.['p50_ms']).toBeGreaterThan(5);
      }
    },
  );

  it('says by name what is not installed', async () => {
    expect(await missingPrograms(['sh', 'no-such-proxy'])).toEqual(['no-such-proxy']);
  });
});
