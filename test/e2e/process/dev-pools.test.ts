// `coppice dev` with warm pools and ComputeDomains: what it waits for, how to go on, and manifests
//   of
// several modules.
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Ran, shell, without } from '#test/support/tools.ts';
import { DevStage, ownNamespace, ownSet } from './dev-stage.ts';

const patient = { timeout: 120_000 };
const stage = new DevStage();
afterEach(() => stage.programs.end());
afterAll(() => stage.end());

const sample = (name: string): readonly string[] => [
  '--apply',
  join(import.meta.dirname, `../../../charts/coppice/samples/${name}.yaml`),
];

describe('coppice dev with what is no set', () => {
  test('waits until claims are served and the pool is full again', patient, async () => {
    const flags = ['--exit-when-ready', '--no-nats', ...sample('warm-pool')];
    const program = stage.dev('pool', {}, ...flags);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    const said = program.stdout.join('\n');
    expect(said).toMatch(/claim default\/alice: has Sandbox python-\w+, ready$/m);
    expect(said).toMatch(/claim default\/bob: has Sandbox python-\w+, ready$/m);
    expect(said).toMatch(/3\/3 members ready, 2\/2 claims ready\nready after [\d.]+ s$/);
    expect(program.stderr).toEqual([]);
  });

  test('waits until the nodes of a ComputeDomain have joined their clique', patient, async () => {
    const flags = ['--exit-when-ready', '--no-nats', '--nodes', '18'];
    const samples = [...sample('compute-domain-driver'), ...sample('compute-domain')];
    const program = stage.dev('domain', {}, ...flags, ...samples);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    const said = program.stdout.join('\n');
    expect(said).toMatch(/domain default\/training: 18\/18 nodes ready, cliques: 1$/m);
    expect(said).toMatch(/^ready after (?!0\.0 )[\d.]+ s$/m);
  });

  test('gives up with 5 and says how many nodes a ComputeDomain lacks', patient, async () => {
    const domain = stage.file(
      'domain.yaml',
      `apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: { name: alone }
spec: { numNodes: 2, channel: { resourceClaimTemplate: { name: alone } } }
`,
    );
    const flags = ['--exit-when-ready', '--no-nats', '--ready-timeout', '1'];
    const applied = [...sample('compute-domain-driver'), '--apply', domain];
    const program = stage.dev('alone', {}, ...flags, ...applied);
    expect((await program.ended).code).toBe(5);
    expect(program.stderr.join('\n')).toContain('    0 of 2 nodes have joined');
  });

  test('gives up with 5 and names pools and claims', patient, async () => {
    const flags = ['--exit-when-ready', '--no-nats', '--nodes', '0', '--ready-timeout', '1'];
    const program = stage.dev('late', {}, ...flags, ...sample('warm-pool'));
    expect((await program.ended).code).toBe(5);
    const said = program.stderr.join('\n');
    expect(said).toContain('not ready after 1 s:\n  pool default/python: 0/3 members ready');
    expect(said).toMatch(/^ {2}claim default\/bob: (waits for a|has) Sandbox/m);
  });

  const missing = without('kubectl', 'curl');
  test(
    'shows sets and Sandboxes beside them, and how to go on with each',
    { ...patient, skip: missing !== '' },
    async () => {
      const set = stage.file('set.yaml', `${ownNamespace}${ownSet('own')}`);
      const flags = ['--no-nats', '--apply', set, ...sample('warm-pool'), ...sample('sandbox')];
      const program = stage.dev('both', {}, ...flags);
      await program.line(/\/metrics$/);
      const said = program.stdout.join('\n');
      expect(said).toContain('mine/own: 2/2 replicas available');
      expect(said).toContain('pool default/python: 3/3 members ready');
      expect(said).toContain('Sandbox default/workbench: ready');
      const [environment = '', ...commands] = program.stdout
        .filter((line) => /^ {2}[a-z]/.test(line))
        .map((line) => line.trim());
      expect(commands).toHaveLength(8);
      let all = '';
      for (const command of commands) {
        const ran: Ran = await shell(`${environment}\n${command}`);
        expect(ran.code, `${command}\n${ran.stderr}`).toBe(0);
        all += ran.stdout;
      }
      expect(all).toContain('podcliqueset.grove.io/own scaled');
      expect(all).toContain('sandboxwarmpool.extensions.agents.x-k8s.io/python scaled');
      expect(all).toMatch(/sandboxclaim.extensions.agents.x-k8s.io\/more-\w+ created/);
      expect(all).toContain('sandbox.agents.x-k8s.io/workbench patched');
      await program.line(/claim default\/more-\w+: has Sandbox python-\w+, ready/);
      await program.line(/pool default\/python: 5\/5 members ready/);
      await program.line(/Sandbox default\/workbench: suspended/);
    },
  );
});
