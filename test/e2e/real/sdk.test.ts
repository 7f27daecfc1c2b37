// The Python SDK of agent-sandbox, as PyPI has it, against a controller and the embedded cluster:
// it creates, lists, suspends, resumes and deletes (spec agent-sandbox 6.1, K1 to K4). To run a
// command in a sandbox it needs the router, which is none of ours.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { at, object } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { amountOf } from '#test/support/optional.mjs';
import { Place } from '#test/support/place.ts';

const run = promisify(execFile);

/** The last one before 1.0, of the time of the specification, and one that is newer. */
const versions = ['0.5.6', '1.0.8'].slice(-amountOf('versions of the SDK'));
const client = join(import.meta.dirname, 'sdk/client.py');
const sample = new URL('../../../charts/coppice/samples/warm-pool.yaml', import.meta.url);
const namespace = 'default';
const extensions = `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${namespace}`;
const installMs = 300_000;

/** Why the tests cannot run; empty: they can. */
function missing(): string {
  const asked = ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'];
  const python = spawnSync('python3', asked);
  if (python.error !== undefined) return 'there is no python3';
  if (python.status !== 0) return 'python3 is older than 3.11, or has no venv';
  const folder = mkdtempSync(join(tmpdir(), 'coppice-sdk-'));
  const download = ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', folder];
  const found = spawnSync('python3', [...download, `k8s-agent-sandbox==${versions[0]}`]);
  rmSync(folder, { recursive: true });
  return found.status === 0 ? '' : 'PyPI cannot be reached';
}

const why = missing();
const title = `The Python SDK of agent-sandbox${why === '' ? '' : ` (skipped: ${why})`}`;

describe.skipIf(why !== '')(title, () => {
  const place = new Place();

  beforeAll(async () => {
    await place.start({ nodes: 3 });
    const modules = { grove: false, agentsandbox: true };
    const { program } = await place.controller({ modules });
    await program.line(/controller synced/);
    for (const document of parseAllDocuments(readFileSync(sample, 'utf8'))) {
      const body = object(document.toJS());
      if (body['kind'] === 'SandboxClaim') continue;
      const path = `${extensions}/${String(body['kind']).toLowerCase()}s`;
      await place.client.request({ method: 'POST', path, body });
    }
    const pool = { method: 'GET', path: `${extensions}/sandboxwarmpools/python` } as const;
    await eventually(
      'the pool is full',
      async () => at((await place.client.request(pool)).body, 'status', 'readyReplicas'),
      (ready) => ready === 3,
    );
  }, 120_000);
  afterAll(() => place.end());

  test.each(versions)(
    'in version %s creates, lists, suspends, resumes and deletes a Sandbox (K1, K4)',
    { timeout: installMs },
    async (version) => {
      const venv = join(place.folder, `sdk-${version}`);
      await run('python3', ['-m', 'venv', venv]);
      const pip = ['install', '--quiet', '--disable-pip-version-check'];
      await run(join(venv, 'bin/pip'), [...pip, `k8s-agent-sandbox==${version}`]);
      const { stdout } = await run(join(venv, 'bin/python'), [client, 'python', namespace], {
        env: { ...process.env, KUBECONFIG: place.kubeconfig },
      });
      const told: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      const claim = at(told, 'claim');
      expect(claim).toMatch(/^sandbox-claim-[0-9a-f]{8}$/);
      expect(told).toMatchObject({
        // Out of the pool, after which it is called.
        sandbox: expect.stringMatching(/^python-/),
        pod: expect.stringMatching(/^python-/),
        ip: expect.stringMatching(/^10\./),
        listed: expect.arrayContaining([claim]),
        found: at(told, 'sandbox'),
        suspended: true,
        resumed: expect.stringMatching(/^10\./),
        left: true,
      });
    },
  );
});
