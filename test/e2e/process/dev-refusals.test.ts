// What `coppice dev` refuses before it starts anything: wrong manifests and busy ports.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DevStage, ownNamespace, ownSet } from './dev-stage.ts';

const patient = { timeout: 120_000 };
const stage = new DevStage();
afterEach(() => stage.programs.end());
afterAll(() => stage.end());

describe('coppice dev --apply', () => {
  const refused = async (...files: readonly string[]): Promise<string> => {
    const program = stage.dev('refused', {}, ...files.flatMap((file) => ['--apply', file]));
    expect((await program.ended).code).toBe(2);
    expect(program.stdout).toEqual([]);
    expect(existsSync(join(stage.folder, 'refused')), 'nothing was started').toBe(false);
    return program.stderr.join('\n');
  };

  test(
    'refuses a file with its name, document and field, before anything is started',
    patient,
    async () => {
      const text = `${ownNamespace}${ownSet('good')}---${ownSet('bad', 'replicas: lots')}`;
      const file = stage.file('bad.yaml', text);
      expect(await refused(file)).toMatch(
        /^coppice: .*bad\.yaml \(document 3\): .*spec\.replicas: expected numeric/,
      );
    },
  );

  test('refuses a field that does not exist', patient, async () => {
    const file = stage.file('typo.yaml', `${ownNamespace}${ownSet('typo', 'replica: 2')}`);
    expect(await refused(file)).toMatch(/typo\.yaml \(document 2\): .*spec\.replica\b/);
  });

  test('refuses what only the webhooks refuse', patient, async () => {
    const set = ownSet('bad').replace('containers:', 'nodeName: n1, containers:');
    const text = `${ownNamespace}${set}`;
    const said = await refused(stage.file('invalid.yaml', text));
    expect(said).toMatch(/invalid\.yaml \(document 2\): .*denied the request/);
    expect(said).toContain('podSpec.spec.nodeName: Invalid value: "n1": must not be set');
  });

  test('refuses what is no YAML, no manifest, or not there', patient, async () => {
    const broken = stage.file('broken.yaml', `${ownNamespace}\n{ kind: [`);
    expect(await refused(broken)).toMatch(/broken\.yaml \(document 2\): .*line \d+/s);
    const nameless = stage.file('nameless.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}');
    expect(await refused(nameless)).toMatch(
      /nameless\.yaml \(document 1\): metadata\.name is missing/,
    );
    expect(await refused(join(stage.folder, 'none.yaml'))).toMatch(
      /none\.yaml: cannot be read: ENOENT/,
    );
  });
});

describe('coppice dev --config', () => {
  test('refuses one that serves no Grove, which is what it shows', patient, async () => {
    const head = 'apiVersion: coppice.dev/v1alpha1\nkind: CoppiceConfiguration\n';
    const file = stage.file('none.yaml', `${head}modules: { grove: false }\n`);
    const program = stage.dev('refused', {}, '--config', file);
    expect((await program.ended).code).toBe(2);
    expect(program.stderr.join('\n')).toContain('modules.grove is false');
  });
});

describe('coppice dev on busy ports', () => {
  const busy = createServer();
  let port = 0;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        busy.listen(0, '127.0.0.1', () => {
          const address = busy.address();
          port = typeof address === 'object' && address !== null ? address.port : 0;
          resolve();
        });
      }),
  );
  afterAll(() => void busy.close());

  test.each([
    ['the API server', 'api', '--api-port'],
    ['health and metrics', 'http', '--http-port'],
    ['the inspector', 'inspector', '--inspector-port'],
    ['NATS', 'nats', '--nats-port'],
  ] as const)(
    'names the port for %s and the flag that changes it',
    patient,
    async (use, which, flag) => {
      const program = stage.dev('busy', { [which]: port });
      expect((await program.ended).code).toBe(4);
      const said = program.stderr.join('\n');
      expect(said).toContain(`port ${port}`);
      expect(said).toContain(use);
      expect(said).toContain(`process ${process.pid}`);
      expect(said).toContain(`${flag} (0: any free one)`);
      expect(await stage.leftovers('busy')).toEqual([]);
    },
  );
});
