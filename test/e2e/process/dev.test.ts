// `coppice dev` as people use it: a process with its terminal, its files, its ports and its end.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPortFree } from '#src/natsserver/processes.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePort, natsSkip } from '#test/support/nats.ts';
import { type Program, Programs, processesNaming } from '#test/support/program.ts';
import { type Ran, shell, without } from '#test/support/tools.ts';

const patient = { timeout: 60_000 };
const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const escape = String.fromCodePoint(27);

const folder = mkdtempSync(join(tmpdir(), 'coppice-dev-'));
const programs = new Programs();
afterEach(() => programs.end());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ports {
  readonly api?: number;
  readonly nats?: number;
  readonly http?: number;
}

function flags(data: string, { api = 0, nats = 0, http = 0 }: Ports = {}): string[] {
  const ports = ['--api-port', `${api}`, '--nats-port', `${nats}`, '--http-port', `${http}`];
  return ['--data', join(folder, data), ...ports];
}

const dev = (data: string, ports: Ports, ...more: readonly string[]): Program =>
  programs.coppice('dev', ...flags(data, ports), ...more);

/** No process of that folder, no lock in it. */
async function expectNothingLeft(data: string): Promise<void> {
  await eventually(
    'alone',
    () => processesNaming(join(folder, data)),
    ({ length }) => length === 0,
  );
  const files = existsSync(join(folder, data)) ? readdirSync(join(folder, data)) : [];
  expect(files.filter((name) => name.includes('lock'))).toEqual([]);
}

const written = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const ownSet = (name: string, field = 'replicas: 2'): string => `
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: { name: ${name}, namespace: mine }
spec:
  ${field}
  template:
    cliques:
      - name: worker
        spec:
          roleName: worker
          replicas: 2
          podSpec: { containers: [{ name: main, image: busybox }] }
`;
const ownNamespace = `
apiVersion: v1
kind: Namespace
metadata: { name: mine }
---`;

describe(`coppice dev --exit-when-ready${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')(
    'tells in plain lines what happens, and ends with 0',
    patient,
    async () => {
      const program = dev('plain', {}, '--exit-when-ready');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout.join('\n')).toMatch(
        /3\/3 gangs up, 15\/15 pods ready\nready after [\d.]+ s$/,
      );
      expect(program.stdout.join('')).not.toContain(escape);
      expect(program.stderr).toEqual([]);
      await expectNothingLeft('plain');
    },
  );

  const noScript = without('script');
  test.skipIf(noScript !== '')(
    `paints a picture with a bar on a terminal${noScript}`,
    patient,
    async () => {
      const command = [
        process.execPath,
        main,
        'dev',
        ...flags('tty'),
        '--exit-when-ready',
        '--no-nats',
      ];
      const { code, stdout } = await shell(
        `script -qec '${command.join(' ')}' /dev/null </dev/null`,
      );
      expect(code).toBe(0);
      expect(stdout).toContain('░');
      expect(stdout).toContain('█'.repeat(30));
      expect(stdout).toContain('◆ demo-0  5/5 ready');
      expect(stdout).toContain('ready after');
      // The cursor is given back.
      expect(stdout.lastIndexOf(`${escape}[?25h`)).toBeGreaterThan(
        stdout.lastIndexOf(`${escape}[?25l`),
      );
      await expectNothingLeft('tty');
    },
  );

  test('gives up with 5 and says what is open', patient, async () => {
    const program = dev(
      'late',
      {},
      '--exit-when-ready',
      '--no-nats',
      '--nodes',
      '0',
      '--ready-timeout',
      '1',
    );
    expect((await program.ended).code).toBe(5);
    expect(program.stderr.join('\n')).toMatch(
      /not ready after 1 s:\n {2}default\/demo: 0\/3 replicas/,
    );
    await expectNothingLeft('late');
  });
});

describe('coppice dev --apply', () => {
  const refused = async (...files: readonly string[]): Promise<string> => {
    const program = dev('refused', {}, ...files.flatMap((file) => ['--apply', file]));
    expect((await program.ended).code).toBe(2);
    expect(program.stdout).toEqual([]);
    expect(existsSync(join(folder, 'refused')), 'nothing was started').toBe(false);
    return program.stderr.join('\n');
  };

  test(
    'refuses a file with its name, document and field, before anything is started',
    patient,
    async () => {
      const text = `${ownNamespace}${ownSet('good')}---${ownSet('bad', 'replicas: lots')}`;
      const file = written('bad.yaml', text);
      expect(await refused(file)).toMatch(
        /^coppice: .*bad\.yaml \(document 3\): .*spec\.replicas.*must be of type integer/,
      );
    },
  );

  test('refuses a field that does not exist', patient, async () => {
    const file = written('typo.yaml', `${ownNamespace}${ownSet('typo', 'replica: 2')}`);
    expect(await refused(file)).toMatch(/typo\.yaml \(document 2\): .*spec\.replica\b/);
  });

  test('refuses what is no YAML, no manifest, or not there', patient, async () => {
    const broken = written('broken.yaml', `${ownNamespace}\n{ kind: [`);
    expect(await refused(broken)).toMatch(/broken\.yaml \(document 2\): .*line \d+/s);
    const nameless = written('nameless.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}');
    expect(await refused(nameless)).toMatch(
      /nameless\.yaml \(document 1\): metadata\.name is missing/,
    );
    expect(await refused(join(folder, 'none.yaml'))).toMatch(/none\.yaml: cannot be read: ENOENT/);
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
    ['NATS', 'nats', '--nats-port'],
  ] as const)(
    'names the port for %s and the flag that changes it',
    patient,
    async (use, which, flag) => {
      const program = dev('busy', { [which]: port });
      expect((await program.ended).code).toBe(4);
      const said = program.stderr.join('\n');
      expect(said).toContain(`port ${port}`);
      expect(said).toContain(use);
      expect(said).toContain(`process ${process.pid}`);
      expect(said).toContain(`${flag} (0: any free one)`);
      await expectNothingLeft('busy');
    },
  );
});

describe(`A running coppice dev${natsSkip}`, () => {
  const ports = { api: 0, nats: 0, http: 0 };
  beforeAll(async () => {
    for (const name of ['api', 'nats', 'http'] as const) ports[name] = await freePort();
  });
  const file = (): string =>
    written('mine.yaml', `${ownNamespace}${ownSet('own')}---${ownSet('two')}`);
  const run = (): Program => dev('run', ports, '--apply', file(), '--nodes', '2');

  const missing = `${natsSkip}${without('kubectl', 'curl', 'nats')}`;
  test.skipIf(missing !== '')(
    `says how to go on in commands that work${missing}`,
    patient,
    async () => {
      const program = run();
      await program.line(/\/metrics$/);
      const commands = program.stdout
        .filter((line) => /^ {2}[a-z]/.test(line))
        .map((line) => line.trim());
      const [environment = '', ...rest] = commands;
      expect(rest).toHaveLength(7);
      const paste = (command: string): Promise<Ran> => shell(`${environment}\n${command}`);
      const ask = commands.find((command) => command.includes(' req ')) ?? '';
      let all = '';
      for (const command of rest) {
        const isEndless = command.includes(' sub ');
        let isOver = false;
        const run = paste(isEndless ? `${command} --count 1` : command);
        void run.then(() => (isOver = true));
        // Something to hear for the one that listens.
        if (isEndless)
          await eventually(
            'heard',
            () => paste(ask),
            () => isOver,
          );
        const { code, stdout, stderr } = await run;
        expect(code, `${command}\n${stderr}`).toBe(0);
        all += stdout;
      }
      expect(all).toMatch(/podcliqueset\.grove\.io\/own\s+2/);
      expect(all).toContain('podcliqueset.grove.io/own scaled');
      expect(all).toContain('"because"');
      expect(all).toContain('podcliqueset/mine/own');
      expect(all).toContain('controller_runtime_reconcile_total');
      const nodes = await paste('kubectl get nodes -o name');
      expect(nodes.stdout.trim().split('\n')).toHaveLength(2);
    },
  );

  test.skipIf(natsSkip !== '')(
    'ends cleanly at Ctrl-C, and begins again on the same ports',
    patient,
    async () => {
      const first = run();
      await first.line(/^ready after/);
      first.signal('SIGINT');
      expect(await first.ended).toEqual({ code: 0, signal: null });
      await expectNothingLeft('run');
      for (const port of Object.values(ports))
        expect(await isPortFree('127.0.0.1', port)).toBe(true);

      const second = run();
      await second.line(/^ready after/);
      await second.kill();
      // At once, while the nats-server of the one that was killed may still be there.
      const third = run();
      await third.line(/^ready after/);

      const other = dev('run', {});
      expect((await other.ended).code).toBe(4);
      expect(other.stderr.join('\n')).toContain(`in use by another coppice dev (pid ${third.pid})`);
      expect(other.stderr.join('\n')).toContain('--data');
      third.signal('SIGTERM');
      expect(await third.ended).toEqual({ code: 0, signal: null });
      await expectNothingLeft('run');
    },
  );

  test('ends cleanly at a signal during its start', patient, async () => {
    const program = dev('early', {});
    await eventually('begun', () => existsSync(join(folder, 'early/controller.log')), Boolean);
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
    await expectNothingLeft('early');
  });
});

describe('coppice dev --no-nats', () => {
  test('runs without a nats-server and says so', patient, async () => {
    const program = dev('quiet', {}, '--no-nats');
    await program.line(/NATS is off/);
    expect(processesNaming(join(folder, 'quiet/nats'))).toEqual([]);
    expect(existsSync(join(folder, 'quiet/nats'))).toBe(false);
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
  });
});
