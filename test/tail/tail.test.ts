// `coppice tail` and `coppice fmt` as processes: facts of a real nats-server as lines, filtered,
// with what a process remembers of a trace, and over a restart of the server.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFact } from '#bus/codec.ts';
import { factOf, key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Programs } from '#test/support/program.ts';
import { Stage, until } from '#test/conformance/bus/stage.ts';

const fact = (name: string, id: string, trace = 't-1') => ({ ...factOf(key(name), {}, id), trace });

describe.skipIf(natsSkip !== '')(`coppice tail${natsSkip}`, () => {
  let stage: Stage;
  let programs: Programs;
  beforeEach(() => {
    stage = new Stage();
    programs = new Programs();
  });
  afterEach(async () => {
    await programs.end();
    await stage.clear();
  });

  it('prints facts as they happen, those that the flags want, and ends at a signal', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    const all = programs.coppice('tail', '--server', server.url);
    const some = programs.coppice('tail', '--server', server.url, '--name', 'b');
    await Promise.all([all, some].map((one) => one.line(/facts of coppice\.fact\./)));
    bus.fact(fact('a', 'f-1'));
    bus.fact(fact('b', 'f-2'));
    await all.line(/ podclique\/default\/b /);
    await some.line(/ podclique\/default\/b /);
    expect(all.stdout).toHaveLength(2);
    expect(some.stdout).toHaveLength(1);
    expect(all.stdout.join('')).not.toContain('\u001b');
    all.signal('SIGINT');
    expect(await all.ended).toMatchObject({ code: 0 });
  });

  it('follows a trace from what a process remembers, each fact once', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    const row = (one: ReturnType<typeof fact>, sequence: number) => ({
      ...one,
      about: `podclique/default/${one.about.name}`,
      sequence,
    });
    bus.onAsk(({ question, payload }) => {
      const page = payload['after'] === undefined ? 1 : 2;
      bus.fact(fact('a', `f-${page}`));
      return Promise.resolve({
        ok: true,
        data: {
          trace: 't-1',
          facts: question === 'trace' ? [row(fact('a', `f-${page}`), page)] : [],
          isWhole: true,
          more: page === 1,
          elsewhere: 0,
        },
      });
    });
    const about = ['--kind', 'podclique', '--namespace', 'default', '--name', 'a'];
    const tail = programs.coppice('tail', '--server', server.url, '--trace', 't-1', ...about);
    await until(() => tail.stdout.length === 2);
    bus.fact(fact('a', 'f-3', 'other'));
    bus.fact(fact('a', 'f-4'));
    await until(() => tail.stdout.length === 3);
    expect(tail.stdout.every((line) => line.endsWith(' t-1'))).toBe(true);
  });

  it('goes on when the server was away', async () => {
    const first = await stage.start();
    const tail = programs.coppice('tail', '--server', first.url);
    await tail.line(/facts of/);
    await stage.dies(first);
    await tail.line(/trouble with NATS/);
    await stage.start({ port: first.port });
    const bus = await stage.joined({ servers: [first.url] });
    await until(() => tail.stderr.filter((line) => line.startsWith('facts of')).length === 2);
    bus.fact(fact('a', 'f-1'));
    await tail.line(/ podclique\/default\/a /);
  });

  it('says what is wrong with a flag', async () => {
    const tail = programs.coppice('tail', '--what', 'noise');
    expect(await tail.ended).toMatchObject({ code: 1 });
    expect(tail.stderr.join('\n')).toContain('--what: there is no "noise"');
  });
});

describe('coppice fmt', () => {
  it('prints the facts of a pipe as lines, and passes the rest on', async () => {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const child = spawn(process.execPath, [main, 'fmt'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const bytes = encodeFact(fact('a', 'f-1'));
    child.stdin.end(`no fact\n\n${bytes.ok ? Buffer.from(bytes.value).toString() : ''}\n`);
    const lines = (await child.stdout.toArray()).join('').split('\n');
    expect(lines).toEqual(['no fact', expect.stringMatching(/ podclique\/default\/a .* t-1$/), '']);
  });
});
