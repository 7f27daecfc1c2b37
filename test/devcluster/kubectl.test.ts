// The embedded cluster under the stock kubectl: what people do with one by hand. Skipped where no
// kubectl is on the PATH.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { configMap, pod, widget, widgetDefinition } from './api/support.ts';

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let cluster: Cluster;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  const options = { clock: systemClock, random: systemRandom, nodes: 2, dataDir: folder };
  cluster = createCluster(options);
  await cluster.start();
  await cluster.listen();
});

afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

/** Standard output and error together; `code` of the process. */
function kubectl(...args: string[]): Promise<{ code: number; text: string }> {
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
  return new Promise((resolve) => {
    execFile('kubectl', args, { env, timeout: 15_000 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, text: stdout + stderr });
    });
  });
}

async function ok(...args: string[]): Promise<string> {
  const { code, text } = await kubectl(...args);
  expect({ code, text }).toMatchObject({ code: 0 });
  return text;
}

async function file(name: string, ...objects: object[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, objects.map((object) => stringify(object)).join('---\n'));
  return path;
}

describe.skipIf(!hasKubectl())('kubectl', () => {
  test('finds the resources and explains them', async () => {
    expect(await ok('api-resources')).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
    expect(await ok('explain', 'pod.spec.containers')).toMatch(/image\t<string>/);
    expect(await ok('version')).toMatch(/Server Version: v1\.\d+\.\d+/);
  });

  test('creates a pod, waits for it, describes it and deletes it', async () => {
    await ok('create', '-f', await file('pod.yaml', pod('web')));
    await ok('wait', '--for=condition=Ready', 'pod/web', '--timeout=10s');
    expect(await ok('get', 'pods')).toMatch(/web +1\/1 +Running/);
    expect(await ok('describe', 'pod', 'web')).toMatch(/Successfully assigned default\/web/);
    expect(await ok('events')).toMatch(/Scheduled/);
    await ok('label', 'pod', 'web', 'tier=front');
    await ok('annotate', 'pod', 'web', 'note=x');
    expect(await ok('get', 'pod', '-l', 'tier in (front,back)', '-o', 'name')).toBe('pod/web\n');
    expect(await ok('get', 'pod', '--field-selector=status.phase=Running', '-o', 'name')).toBe(
      'pod/web\n',
    );
    await ok('delete', 'pod', 'web');
    expect((await kubectl('get', 'pod', 'web')).text).toMatch(/pods "web" not found/);
  });

  test('applies from the client, from the server, and sees the difference', async () => {
    const first = await file('one.yaml', configMap('ap', { k: '1' }));
    expect(await ok('apply', '-f', first)).toMatch(/created/);
    expect(await ok('apply', '-f', first)).toMatch(/unchanged/);
    const second = await file('two.yaml', configMap('ap', { k: '2' }));
    expect(await ok('apply', '--server-side', '-f', second)).toMatch(/serverside-applied/);
    expect(await ok('get', 'configmap', 'ap', '-o', 'jsonpath={.data.k}')).toBe('2');
    const third = await file('three.yaml', configMap('ap', { k: '3' }));
    const { code, text } = await kubectl('diff', '-f', third);
    expect(code).toBe(1);
    expect(text).toMatch(/-  k: "2"\n\+  k: "3"/);
    expect(await ok('apply', '--dry-run=server', '-f', third)).toMatch(/server dry run/);
    const other = await kubectl('apply', '--server-side', '--field-manager=other', '-f', third);
    expect(other.text).toMatch(/conflict with "kubectl".*\.data\.k/s);
  });

  test('writes built-in kinds in protobuf', async () => {
    await ok('create', 'deployment', 'd', '--image=x', '--replicas=3', '--port=80');
    expect(
      await ok(
        'get',
        'deployment',
        'd',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].ports[0]}',
      ),
    ).toBe('{"containerPort":80,"protocol":"TCP"}');
    await ok('scale', 'deployment', 'd', '--replicas=0');
    expect(
      await ok('get', 'deployment', 'd', '-o', 'jsonpath={.spec.replicas} {.metadata.generation}'),
    ).toBe('0 2');
    expect(await ok('auth', 'whoami')).toMatch(/kubernetes-admin/);
    await ok('create', 'namespace', 'team');
    await ok('delete', 'namespace', 'team', '--timeout=10s');
  });

  test('handles custom resources', async () => {
    await ok('apply', '-f', await file('crd.yaml', widgetDefinition()));
    await ok('wait', '--for=condition=Established', 'crd/widgets.example.io', '--timeout=5s');
    await ok('apply', '-f', await file('widget.yaml', widget('w', { color: 'red' })));
    expect(await ok('get', 'wd')).toMatch(/NAME +WANTED\nw +1\n/);
    await ok('scale', 'widget', 'w', '--replicas=3');
    await ok('patch', 'widget', 'w', '--type=merge', '-p', '{"spec":{"color":"blue"}}');
    expect(await ok('get', 'widget', 'w', '-o', 'jsonpath={.spec}')).toBe(
      '{"color":"blue","replicas":3}',
    );
    const bad = await kubectl(
      'patch',
      'widget',
      'w',
      '--type=merge',
      '-p',
      '{"spec":{"color":"x"}}',
    );
    expect(bad.text).toMatch(/spec\.color: Unsupported value: "x"/);
    const unknown = await kubectl('apply', '-f', await file('bad.yaml', widget('v', { wrong: 1 })));
    expect(unknown.text).toMatch(/unknown field "spec\.wrong"/);
  });

  test('reads in chunks', async () => {
    for (const name of ['c1', 'c2', 'c3']) await ok('create', 'configmap', name);
    const text = await ok('get', 'configmaps', '--chunk-size=1', '-o', 'name');
    for (const name of ['c1', 'c2', 'c3']) expect(text).toContain(`configmap/${name}`);
  });
});
