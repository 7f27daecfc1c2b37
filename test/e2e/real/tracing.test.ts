// The commands of docs/tracing.md, run by a shell with the NATS command line against a real
// nats-server and the controller: what a person who follows the page sees.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '#test/cluster/up.ts';
import type { Program } from '#test/support/program.ts';
import { manifest, type SetWanted } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/tracing.md'), 'utf8');
/** `nats req SUBJECT ''   # what it is for` */
const commands = [...page.matchAll(/^((?:nats|coppice) .+?)(?:\s+#.*)?$/gm)].map(
  ([, line = '']) => line,
);
/** Those that go on until they are stopped. */
const isLive = (line: string): boolean =>
  line.startsWith('coppice tail') || (line.startsWith('nats sub') && !line.includes('--stream'));

/** The object of the page's examples. */
const demo: SetWanted = { name: 'demo', replicas: 1, cliques: [{ name: 'worker', replicas: 2 }] };

const run = promisify(execFile);

/** A folder with `nats` and `coppice`, both for this server, and the start of the subscriptions. */
function shell(stage: Stage, nats: string) {
  const { natsUrl } = stage.given;
  const folder = join(stage.folder, 'bin');
  mkdirSync(folder, { recursive: true });
  const script = (name: string, line: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const main = join(root, 'src/main.ts');
  const environment = `NATS_URL='${natsUrl}'; export NATS_URL`;
  script('nats', `${environment}\nexec '${nats}' "$@"`);
  script(
    'coppice',
    `command=$1; shift\n[ "$command" = tail ] && set -- --server '${natsUrl}' "$@"\n` +
      `exec '${process.execPath}' '${main}' "$command" "$@"`,
  );
  const told = (line: string): string => `PATH='${folder}':$PATH\n${line}`;
  return {
    read: async (line: string): Promise<string> => {
      const { stdout } = await run('sh', ['-c', told(line)], { timeout: 60_000 });
      return stdout;
    },
    // In a group of its own, whose parts all end with it.
    follow: (line: string): Program =>
      stage.run('setsid', ['sh', '-c', `trap 'kill 0' TERM\n${told(`${line} &\nwait`)}`]),
  };
}

describeReal('The page on tracing', (at) => {
  const nats = binary('nats');

  test.skipIf(!existsSync(nats))('shows commands that do what it says', async () => {
    const stage = at();
    const { read, follow } = shell(stage, nats);
    const [traced, live] = partition(commands.filter(isLive), (line) => line.includes('k3x-41'));
    const followed = new Map(live.map((line) => [line, follow(line)]));
    onTestFinished(async () => {
      for (const program of followed.values()) program.signal('SIGTERM');
      await Promise.all([...followed.values()].map(({ ended }) => ended));
    });
    await stage.controller();
    await stage.kube.create('default', 'podcliquesets', manifest(demo));
    await stage.ready('default', demo);

    const edited = commands.find((line) => line.includes('demo.observed')) ?? '';
    const [, trace = ''] = / (\S+)$/.exec((await read(edited)).trimEnd()) ?? [];
    expect(trace).toMatch(/^\w+-\w+$/);
    const withTrace = (line: string): string => line.replace('k3x-41', trace);
    for (const line of commands.filter((one) => !isLive(one))) {
      const answer = await read(withTrace(line));
      if (!expected(line).test(answer)) throw new Error(`${line} said:\n${answer}`);
    }
    for (const line of traced) followed.set(line, follow(withTrace(line)));
    for (const [line, program] of followed) await program.line(expected(line));

    await stage.kube.delete('default', 'podcliquesets', demo.name);
    await stage.empty('default');
    expect(followed.size).toBe(6);
    expect(commands).toHaveLength(19);
  });
});

const partition = <T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] => [
  all.filter(is),
  all.filter((one) => !is(one)),
];

const time = String.raw`\d\d:\d\d:\d\d\.\d{3}`;

function expected(line: string): RegExp {
  const known: readonly (readonly [string, RegExp])[] = [
    ["nats sub 'coppice.fact.podgang", /coppice\.fact\.podgang\.default\.demo-0\.wrote/],
    ["nats sub --raw 'coppice.fact.*.default", new RegExp(`${time} \\w+/default/\\S+ transition`)],
    ['coppice tail --namespace', new RegExp(`${time} podclique/default/demo-0-worker `)],
    ['coppice tail --kind podgang', new RegExp(`${time} podgang/default/demo-0 wrote`)],
    ['coppice tail --trace', new RegExp(`${time} podcliqueset/default/demo observed`)],
    ["nats sub --raw 'coppice.fact.podcliqueset", /observed PodCliqueSet demo seen, by /],
    ["'coppice.fact.*.*.*.transition' | coppice", /podgang\/default\/demo-0 transition/],
    ["'coppice.fact.podgang.default.*.transition'", /"what":"transition","data":\{"from"/],
    ['nats stream get', /"what":"transition"/],
    ["'coppice.fact.*.default.demo-0-worker.>'", /demo-0-worker wrote create Pod\/default\//],
    ["'coppice.fact.podgang.default.*.wrote'", new RegExp(`${time} podgang/default/demo-0 wrote`)],
    ['.history ', /"facts":\[\{"sequence":\d+.*"older":"/],
    ['demo.observed', new RegExp(`^${time} .*seen, by \\S+ Update`)],
    ['.trace ', /"facts":\[\{"sequence":\d+,.*"what":"observed".*"isWhole":true/],
    ['micro ls', /coppice .* Questions to the actors/],
    ['micro ping', /coppice \S+ .*rtt=/],
    ['micro info', /shards: 0,1,2[^]*Subject: coppice\.ask\.\*\.\*\.\*\.why/],
    ['micro stats', /│ why .* coppice/],
    ['.why ', /"because":\["2 of 2 pods .* are ready/],
  ];
  const found = known.find(([part]) => line.includes(part));
  if (found === undefined) throw new Error(`docs/tracing.md shows "${line}": unknown here`);
  return found[1];
}
