// Every command of `kubectl coppice` by a real kubectl, on the embedded cluster, with the
// kubeconfig that `npm start` would leave.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { pluginExitCodes } from '#src/plugin/commands.ts';
import { eventually } from '#test/support/eventually.ts';
import { without } from '#test/support/tools.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';
import { PluginStage } from './stage.ts';

const missing = without('kubectl');
const namespace = 'seen';
const patient = { timeout: 120_000 };
const codeOf = (name: keyof typeof pluginExitCodes): number => pluginExitCodes[name].code;

/** Of an installation without leases, webhooks and a bus. */
const checked = (file: string): string =>
  [
    `namespace default, ${file}`,
    ...['ok API server', 'ok clocks', 'ok configuration'],
    '- pods of the controller: not looked at, the controller runs in no pod',
    ...['ok other controllers of the same objects', 'ok custom resource definitions'],
    ...['ok permissions of the controller', 'ok admission webhooks', 'ok certificates'],
    ...['ok leases and shards', 'ok NATS', 'ok parked actors', ''],
  ].join('\n');

describe.skipIf(missing !== '')(`kubectl coppice${missing}`, () => {
  const stage = new PluginStage();
  /** kubectl wants the command before its flags. */
  const ask = (words: string): Promise<string> => {
    const [command = '', ...rest] = words.split(' ');
    return stage.ok(`kubectl coppice ${command} -n ${namespace} ${rest.join(' ')}`);
  };
  const refused = async (words: string) => {
    const ran = await stage.run(`kubectl coppice ${words}`);
    expect(ran.stdout).toBe('');
    return ran;
  };

  beforeAll(async () => {
    await stage.start();
    await stage.controller();
    await createNamespace(stage.place.client, namespace);
    const cliques = [{ name: 'worker', replicas: 2 }];
    await createSet(stage.place.client, namespace, { name: 'demo', replicas: 2, cliques });
  }, 90_000);
  afterAll(() => stage.end());

  test('waits until all is ready, and says how far it is', patient, async () => {
    const { code, stdout, stderr } = await stage.run(
      `kubectl coppice get pcs demo -n ${namespace} --wait --timeout 60s`,
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('kubectl-coppice:')]);
    expect(stdout).toMatch(/^PodCliqueSet\/demo +True +2\/2 +ReplicasReady +active +\d+s$/m);
  });

  test('gives up a wait after its time', async () => {
    await createSet(stage.place.client, namespace, {
      name: 'huge',
      replicas: 1,
      cliques: [{ name: 'worker', replicas: 1 }],
    });
    await stage.ok(`kubectl -n ${namespace} scale pcs huge --replicas 2000`);
    const { code, stderr } = await refused(`get pcs huge -n ${namespace} --wait --timeout 1s`);
    expect(code).toBe(codeOf('notReady'));
    expect(stderr).toMatch(/\d+ of 2000 ready after \d+s/);
    expect(stderr).toMatch(/1 of 1 are not ready after \ds; podcliquesets\/huge: /);
    await stage.ok(`kubectl -n ${namespace} delete pcs huge --timeout 60s`);
  });

  test('shows objects as a tree', async () => {
    const lines = (await ask('tree pcs demo')).split('\n');
    expect(lines[0]).toMatch(/^NAME +READY +COUNT +REASON +AGE$/);
    expect(lines[1]).toMatch(/^PodCliqueSet\/demo +True +2\/2 +ReplicasReady/);
    expect(lines[2]).toMatch(/^├─ PodClique\/demo-0-worker +True +2\/2 +PodsReady/);
    expect(lines[3]).toMatch(/^│ {2}├─ Pod\/demo-0-worker-\w+ +True/);
    expect(await stage.ok('kubectl coppice tree -A')).toMatch(/^seen +PodCliqueSet\/demo/m);
  });

  test('shows states in each format', async () => {
    const parsed: unknown = JSON.parse(await ask('get pclq demo-0-worker -o json'));
    const [item] = list(at(parsed, 'items'));
    expect(item).toMatchObject({
      kind: 'PodClique',
      ready: 'True',
      count: '2/2',
      actor: { parked: false, state: expect.stringContaining('readiness: ready') },
    });
    expect(await ask('get pg -o name')).toBe(
      'podgang.scheduler.grove.io/demo-0\npodgang.scheduler.grove.io/demo-1\n',
    );
    expect(await ask('get podcliquesets -o yaml')).toContain('reason: ReplicasReady');
    expect(await ask('get pclq -o wide')).toMatch(/STATE +RESTARTS +MAILBOX +AGE +CONDITIONS/);
  });

  test('says why in the words of the question itself', async () => {
    const printed = await ask('why pcs/demo');
    const answer: unknown = JSON.parse(await ask('why pcs demo -o json'));
    const [reason] = list(at(answer, 'because')).map(text);
    expect(printed).toContain(`podcliqueset/${namespace}/demo active(`);
    expect(printed).toContain(`  ${reason}\n`);
  });

  test('parks, says who did, and goes on', async () => {
    expect(await ask('park pclq demo-1-worker --reason look')).toBe(
      `podclique/${namespace}/demo-1-worker parked\n`,
    );
    expect(await ask('why pclq demo-1-worker')).toContain(
      'parked: look (kubernetes-admin); a new spec, unpark or the end of its object ends that',
    );
    expect(await ask('get pclq demo-1-worker')).toMatch(/ parked /);
    expect(await ask('unpark pclq demo-1-worker --reason seen')).toContain(
      'demo-1-worker unparked',
    );
    const events = () => stage.ok(`kubectl -n ${namespace} get events -o jsonpath={..message}`);
    await eventually('noted', events, (all) => all.includes('goes on: seen (kubernetes-admin)'));
    expect(await ask('unpark pclq demo-1-worker')).toContain('was not parked');
  });

  test('follows facts, and shows the trace of an edit', patient, async () => {
    const tail = stage.begin(`kubectl coppice tail -n ${namespace} -o json`);
    const isCreate = (fact: unknown): boolean =>
      at(fact, 'data', 'op') === 'create' &&
      at(fact, 'data', 'object') === `PodClique/${namespace}/demo-2-worker`;
    const created = () => tail.stdout.map((line): unknown => JSON.parse(line)).find(isCreate);
    const scale = async (count: number): Promise<void> => {
      await stage.ok(`kubectl -n ${namespace} scale pcs demo --replicas ${count}`);
      const names = () => stage.ok(`kubectl -n ${namespace} get pclq -o name`);
      await eventually('scaled', names, (all) => all.trim().split('\n').length === count);
    };
    // The stream begins at some moment: edits are made until one is told of.
    await eventually(
      'a creation that is told',
      async () => {
        await scale(2);
        await scale(3);
        return created();
      },
      (fact) => fact !== undefined,
    );
    tail.signal('SIGINT');
    expect([(await tail.ended).code, tail.stderr]).toEqual([0, []]);
    const id = text(at(created(), 'trace'));
    const trace = await ask(`trace ${id}`);
    expect(trace).toContain(`trace ${id}, begun at `);
    expect(trace).toMatch(/^ +\+0ms podcliqueset\/seen\/demo observed PodCliqueSet demo/m);
    expect(trace).toMatch(/ wrote create PodClique\/seen\/demo-2-worker ok in \d+ ms/);
  });

  test('opens the page through a server of its own, by a link that works once', async () => {
    const program = stage.begin('kubectl coppice inspect --no-browser');
    const [, origin = '', token = ''] = await program.line(
      /^(http:\/\/127\.0\.0\.1:\d+)\/ui\/#token=(.+)$/,
    );
    const session = (bearer: string, method = 'POST', headers: object = {}) =>
      fetch(`${origin}/api/v1/session`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, ...headers },
      });
    expect((await session(token, 'GET')).status).toBe(401);
    const own = text(at(await (await session(token)).json(), 'token'));
    expect((await session(token)).status).toBe(401);
    expect(await (await session(own, 'GET')).json()).toMatchObject({
      user: 'system:serviceaccount:default:default',
    });
    expect((await session(own, 'GET', { origin: 'https://evil.example' })).status).toBe(403);
    program.signal('SIGINT');
    await program.ended;
  });

  test('collects a support bundle without secrets', patient, async () => {
    const secret = 'hunter2-is-no-good-password';
    await stage.ok(
      `kubectl -n ${namespace} create secret generic s --from-literal=password=${secret}`,
    );
    const env = `[{"op":"add","path":"/spec/template/cliques/0/spec/podSpec/containers/0/env","value":[{"name":"HF_TOKEN","value":"${secret}"},{"name":"PLAIN","value":"${secret}"}]}]`;
    await stage.ok(`kubectl -n ${namespace} patch pcs demo --type=json -p '${env}'`);
    const file = join(stage.place.folder, 'bundle.tar.gz');
    expect(await ask(`support-bundle --file ${file}`)).toBe(`${file}\n`);
    const names = execFileSync('tar', ['tzf', file]).toString().trim().split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        'versions.json',
        'check.txt',
        'configuration.json',
        `objects/podcliqueset/${namespace}/demo.json`,
        'cluster/events.json',
        `state/podcliqueset/${namespace}/demo.json`,
        `why/podclique/${namespace}/demo-0-worker.json`,
        'missing.txt',
      ]),
    );
    const folder = join(stage.place.folder, 'bundle');
    execFileSync('sh', ['-c', `mkdir -p '${folder}' && tar xzf '${file}' -C '${folder}'`]);
    expect(execFileSync('grep', ['-rc', 'HF_TOKEN', folder]).toString()).toMatch(/:[1-9]/);
    const found = await stage.run(`grep -rl '${secret}' '${folder}'`);
    expect(found.stdout).toBe('');
    expect(readFileSync(join(folder, 'versions.json'), 'utf8')).toContain('"minor": "35"');
  });

  test('completes commands, flags, kinds and names, as kubectl asks it to', async () => {
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const given = words.map((word) => `'${word}'`).join(' ');
      const printed = await stage.ok(`kubectl __complete coppice ${given} 2>/dev/null`);
      return printed.trim().split('\n').slice(0, -1);
    };
    expect(await complete('w')).toEqual(['why']);
    expect(await complete('get', '--out')).toEqual(['--output']);
    expect(await complete('get', '-o', '')).toEqual(['table', 'wide', 'json', 'yaml', 'name']);
    expect(await complete('why', 'pcs')).toEqual(['pcs', 'pcsg']);
    expect(await complete('why', '-n', namespace, 'pcs', '')).toEqual(['demo']);
    expect(await complete('why', '-n', namespace, 'pcs/')).toEqual(['pcs/demo']);
    expect(await complete('get', '-n', 'se')).toEqual([namespace]);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  test('completes in bash by its own script', async () => {
    const script = `
source <(kubectl coppice completion bash)
COMP_WORDS=(kubectl-coppice why -n ${namespace} pcs de); COMP_CWORD=5
_kubectl_coppice 2>/dev/null
echo "\${COMPREPLY[@]}"`;
    const file = join(stage.place.folder, 'complete.bash');
    writeFileSync(file, script);
    expect(await stage.ok(`bash ${file}`)).toBe('demo\n');
  });

  test('checks the installation, as coppice check does', patient, async () => {
    const file = join(stage.place.folder, 'controller.json');
    const { code, stdout } = await stage.run(`kubectl coppice check --config ${file}`);
    expect([code, stdout.replaceAll(/\x20+/g, ' ')]).toEqual([0, checked(file)]);
    const program = stage.place.programs.coppice(
      ...['check', '--config', file, '--kubeconfig', stage.place.kubeconfig],
    );
    expect((await program.ended).code).toBe(0);
    expect(`${program.stdout.join('\n')}\n`).toBe(stdout);
  });

  test('says what is wrong, what would be right, and ends with the code of its table', async () => {
    const cases: readonly (readonly [string, keyof typeof pluginExitCodes, string])[] = [
      ['tre pcs demo', 'usage', 'did you mean "tree"?'],
      ['why pcs', 'usage', 'a name is missing: "pcs demo" would be right'],
      ['why podd demo', 'usage', 'is no kind of Coppice'],
      ['get pcs -o xml', 'usage', '--output: must be one of table, wide, json, yaml, name'],
      ['get pcs --wait --timeout soon', 'usage', '--timeout: "soon" is no duration'],
      ['why pcs nope -n seen', 'notFound', 'no actor podcliqueset/seen/nope'],
      ['get pcs nope -n seen', 'notFound', 'no pcs "nope" in namespace seen; there is demo'],
      ['get pcs --kubeconfig /nowhere', 'configuration', '/nowhere: cannot be read'],
      ['why pcs demo --server https://127.0.0.1:1', 'noController', 'no controller answers'],
      ['why pcs demo --token nonsense', 'forbidden', 'the token is not valid (UNAUTHORIZED)'],
      ['completion tcsh', 'usage', 'there is bash, zsh, fish, powershell'],
    ];
    for (const [words, exit, said] of cases) {
      const { code, stderr } = await refused(words);
      expect([words, code, stderr]).toEqual([words, codeOf(exit), expect.stringContaining(said)]);
    }
  });

  test('answers from the objects where the controller is away, and says so', async () => {
    const away = `-n ${namespace} --server https://127.0.0.1:1`;
    const { code, stdout, stderr } = await stage.run(`kubectl coppice get pcs demo ${away}`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^PodCliqueSet\/demo /m)]);
    expect(stderr).toContain('without what the actors do: no controller answers');
  });
});
