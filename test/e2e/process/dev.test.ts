// `coppice dev` as people use it: a process with its terminal, what it tells, and its end.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPortFree } from '#src/natsserver/processes.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { type Program, processesNaming } from '#test/support/program.ts';
import { type Ran, shell, without } from '#test/support/tools.ts';
import { DevStage, ownNamespace, ownSet } from './dev-stage.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const escape = String.fromCodePoint(27);
const patient = { timeout: 120_000 };
const stage = new DevStage();
afterEach(() => stage.programs.end());
afterAll(() => stage.end());

describe(`coppice dev --exit-when-ready${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')(
    'tells in plain lines what happens, and ends with 0',
    patient,
    async () => {
      const program = stage.dev('plain', {}, '--exit-when-ready');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout.join('\n')).toMatch(
        /3\/3 gangs up, 15\/15 pods ready\nready after [\d.]+ s$/,
      );
      expect(program.stdout.join('')).not.toContain(escape);
      expect(program.stderr).toEqual([]);
      expect(await stage.leftovers('plain')).toEqual([]);
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
        ...stage.flags('tty'),
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
      expect(await stage.leftovers('tty')).toEqual([]);
    },
  );

  test('gives up with 5 and says what is open', patient, async () => {
    const program = stage.dev(
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
    expect(await stage.leftovers('late')).toEqual([]);
  });
});

describe(`A running coppice dev${natsSkip}`, () => {
  const ports = { api: 0, nats: 0, http: 0 };
  beforeAll(async () => {
    for (const name of ['api', 'nats', 'http'] as const) ports[name] = await freePort();
  });
  const file = (): string =>
    stage.file('mine.yaml', `${ownNamespace}${ownSet('own')}---${ownSet('two')}`);
  const run = (): Program => stage.dev('run', ports, '--apply', file(), '--nodes', '2');

  test('prints a link that lets one browser into the inspector', patient, async () => {
    const program = stage.dev('linked', {}, '--no-nats');
    const [, origin = '', token = ''] = await program.line(/(http:\S+)\/ui\/#token=(\S+)$/);
    const ask = async (path: string, bearer: string, method = 'GET') => {
      const headers = { authorization: `Bearer ${bearer}` };
      const response = await fetch(`${origin}${path}`, { method, headers });
      return { status: response.status, text: await response.text() };
    };
    const page = await ask('/ui/', '');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<title>Coppice')]);
    const { text } = await ask('/api/v1/session', token, 'POST');
    const session: { token: string } = JSON.parse(text);
    const list = await ask('/api/v1/actors?kind=podcliqueset', session.token);
    expect([list.status, list.text]).toEqual([200, expect.stringContaining('"demo"')]);
    expect((await ask('/api/v1/session', token, 'POST')).status).toBe(401);
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
    expect(await stage.leftovers('linked')).toEqual([]);
  });

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
      expect(await stage.leftovers('run')).toEqual([]);
      for (const port of Object.values(ports))
        expect(await isPortFree('127.0.0.1', port)).toBe(true);

      const second = run();
      await second.line(/^ready after/);
      await second.kill();
      // At once, while the nats-server of the one that was killed may still be there.
      const third = run();
      await third.line(/^ready after/);

      const other = stage.dev('run', {});
      expect((await other.ended).code).toBe(4);
      expect(other.stderr.join('\n')).toContain(`in use by another coppice dev (pid ${third.pid})`);
      expect(other.stderr.join('\n')).toContain('--data');
      third.signal('SIGTERM');
      expect(await third.ended).toEqual({ code: 0, signal: null });
      expect(await stage.leftovers('run')).toEqual([]);
    },
  );

  test('ends cleanly at a signal during its start', patient, async () => {
    const program = stage.dev('early', {});
    await eventually(
      'begun',
      () => existsSync(join(stage.folder, 'early/controller.log')),
      Boolean,
    );
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
    expect(await stage.leftovers('early')).toEqual([]);
  });
});

describe('coppice dev --no-nats', () => {
  test('looks after ComputeDomains without a configuration', patient, async () => {
    const sample = (name: string): readonly string[] => [
      '--apply',
      join(import.meta.dirname, `../../../charts/coppice/samples/${name}.yaml`),
    ];
    const samples = [...sample('compute-domain-driver'), ...sample('compute-domain')];
    const program = stage.dev('domains', {}, '--no-nats', '--nodes', '18', ...samples);
    await program.line(/^ready after/);
    const [, url = ''] = await program.line(/curl (http\S+)\/actors/);
    await eventually(
      'complete',
      async () => JSON.stringify(await (await fetch(`${url}/actors`)).json()),
      (actors) => actors.includes('"membership":"complete"'),
    );
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
  });

  test('runs without a nats-server and says so', patient, async () => {
    const program = stage.dev('quiet', {}, '--no-nats');
    await program.line(/NATS is off/);
    expect(processesNaming(join(stage.folder, 'quiet/nats'))).toEqual([]);
    expect(existsSync(join(stage.folder, 'quiet/nats'))).toBe(false);
    program.signal('SIGINT');
    expect((await program.ended).code).toBe(0);
  });
});
