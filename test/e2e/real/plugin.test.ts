// kubectl coppice through a real API server: the port-forward to a pod of the controller, with the
// user's own token and rights; what a proxy makes of a token; permissions of the
// controller that are missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { pluginExitCodes } from '#src/plugin/commands.ts';
import { releaseNamespace } from '#test/cluster/chart.ts';
import { pluginOnPath } from '#test/e2e/plugin/stage.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program } from '#test/support/program.ts';
import { type Ran, shell } from '#test/support/tools.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { manifest, twoRoles } from './sets.ts';
import { describeReal } from './stage.ts';

const here = 'e2e-plugin';
const node = 'plugin-kubelet';
const patient = { timeout: 120_000 };
const users = ['viewer', 'stranger'] as const;
/** All that a user of the plugin needs besides the right to get the objects (docs). */
const forwarding = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
];

describeReal('kubectl coppice on the real control plane', (stage) => {
  let kubelet: Kubelet;
  let controller: Program;
  let port = 0;
  const undo: (() => Promise<unknown>)[] = [];

  const post = async (path: string, body: JsonObject): Promise<unknown> => {
    const made = await stage().kube.send({ method: 'POST', path, body });
    const name = text(at(body, 'metadata', 'name'));
    if (name !== '' && !path.endsWith('/token')) {
      undo.push(() =>
        stage().transport.request({
          method: 'DELETE',
          path: `${path}/${name}?gracePeriodSeconds=0`,
        }),
      );
    }
    return made;
  };
  const status = (path: string, value: JsonObject) =>
    stage().kube.send({
      method: 'PATCH',
      path: `${path}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: value },
    });
  const coppice = (words: string, user = 'admin'): Promise<Ran> => {
    const { folder, given } = stage();
    const file = user === 'admin' ? given.kubeconfig : join(folder, `${user}.kubeconfig`);
    const path = `${pluginOnPath(folder)}:${process.env['PATH'] ?? ''}`;
    return shell(`kubectl coppice ${words}`, {
      PATH: path,
      KUBECONFIG: file,
      NODE_NO_WARNINGS: '1',
    });
  };

  /** A kubeconfig of a ServiceAccount with these rights where the controller is. */
  async function makeUser(user: string, ofObjects: boolean): Promise<void> {
    const accounts = `/api/v1/namespaces/${here}/serviceaccounts`;
    await post(accounts, { metadata: { name: user } });
    const { body } = await stage().transport.request({
      method: 'POST',
      path: `${accounts}/${user}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const kubeconfig: JsonObject = JSON.parse(readFileSync(stage().given.kubeconfig, 'utf8'));
    const [context] = list(kubeconfig['contexts']);
    const name = text(at(context, 'context', 'user'));
    const token = text(at(body, 'status', 'token'));
    const file = join(stage().folder, `${user}.kubeconfig`);
    writeFileSync(file, JSON.stringify({ ...kubeconfig, users: [{ name, user: { token } }] }));
    await grant(user, releaseNamespace, forwarding);
    if (ofObjects) {
      await grant(user, here, [
        { apiGroups: ['grove.io'], resources: ['podcliquesets'], verbs: ['get', 'list'] },
      ]);
    }
  }

  async function grant(user: string, namespace: string, rules: JsonObject[]): Promise<void> {
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    const metadata = { name: `${user}-of-plugin` };
    await post(`${rbac}/roles`, { metadata, rules });
    await post(`${rbac}/rolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: user, namespace: here }],
    });
  }

  /** The controller is a process here; to the API server it is a pod on a node of its own. */
  async function podOf(address: string): Promise<void> {
    await post('/api/v1/nodes', { metadata: { name: node } });
    await status(`/api/v1/nodes/${node}`, {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    const pods = `/api/v1/namespaces/${releaseNamespace}/pods`;
    const labels = { 'app.kubernetes.io/name': 'coppice' };
    await post(pods, {
      metadata: { name: 'coppice-0', labels },
      spec: {
        ...{ nodeName: node, serviceAccountName: 'coppice' },
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            ...{ name: 'controller', image: 'coppice:0.1.0' },
            ports: [{ name: 'questions', containerPort: port }],
          },
        ],
      },
    });
    await status(`${pods}/coppice-0`, {
      ...{ phase: 'Running', podIP: address, podIPs: [{ ip: address }] },
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  }

  beforeAll(async () => {
    kubelet = await startKubelet();
    const questions = { enabled: true, bindAddress: '0.0.0.0', host: '127.0.0.1', port: 0 };
    await stage().namespace(here);
    controller = await stage().controller({
      settings: { questions, inspector: { enabled: true, port: 0 } },
    });
    const [, found = ''] = await controller.line(/"port":(\d+).*answers questions over HTTPS/);
    port = Number(found);
    await podOf(ownAddress() ?? '10.0.0.1');
    for (const user of users) await makeUser(user, user === 'viewer');
    await stage().kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage().available(here, twoRoles, 120_000);
  });
  afterAll(async () => {
    for (const step of undo.toReversed()) await step();
    kubelet.stop();
  });

  const set = `pcs ${twoRoles.name} -n ${here}`;

  test('asks the controller by a port-forward of its own, as an admin', patient, async () => {
    const { code, stdout, stderr } = await coppice(`why ${set}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`podcliqueset/${here}/${twoRoles.name} active(`);
    expect(kubelet.asked[0]).toMatch(
      new RegExp(`^/portForward/${releaseNamespace}/coppice-0\\?.*port=${port}`),
    );
    expect((await coppice(`get ${set}`)).stdout).toMatch(/ True .* active /);
    expect((await coppice(`trace pclq ${twoRoles.name}-0-router -n ${here}`)).code).toBeLessThan(
      10,
    );
  });

  test('asks as the user of the kubeconfig, with that user’s rights', patient, async () => {
    const { code, stdout } = await coppice(`why ${set}`, 'viewer');
    expect([code, stdout]).toEqual([0, expect.stringContaining('active(')]);
    const parked = await coppice(`park ${set}`, 'viewer');
    expect(parked.code).toBe(pluginExitCodes.forbidden.code);
    expect(parked.stderr).toContain(
      `system:serviceaccount:${here}:viewer may not patch podcliquesets`,
    );
    const asked = await coppice(`why ${set}`, 'stranger');
    expect(asked.code).toBe(pluginExitCodes.forbidden.code);
    expect(asked.stderr).toContain(`system:serviceaccount:${here}:stranger may not get`);
  });

  test('says what is missing where a port may not be forwarded', patient, async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${releaseNamespace}/rolebindings`;
    const name = 'stranger-of-plugin';
    await stage().transport.request({ method: 'DELETE', path: `${path}/${name}` });
    await eventually(
      'forbidden',
      () => coppice(`why ${set} --controller-namespace ${releaseNamespace}`, 'stranger'),
      ({ code, stderr }) =>
        code === pluginExitCodes.noController.code && stderr.includes('you may not list pods'),
    );
  });

  test('opens the inspector through the port-forward', patient, async () => {
    const { folder, given } = stage();
    const program = stage().run('/bin/sh', [
      '-c',
      `PATH='${pluginOnPath(folder)}':"$PATH" KUBECONFIG='${given.kubeconfig}' exec kubectl coppice inspect --no-browser`,
    ]);
    const link = /^(http:\/\/127\.0\.0\.1:\d+)\/ui\/#token=(.+)$/;
    const [, origin = '', token = ''] = await program.line(link);
    const ask = (method: string, bearer: string) =>
      fetch(`${origin}/api/v1/session`, { method, headers: { authorization: `Bearer ${bearer}` } });
    const own = text(at(await (await ask('POST', token)).json(), 'token'));
    expect(await (await ask('GET', own)).json()).toMatchObject({ user: 'admin' });
    program.signal('SIGINT');
    await program.ended;
  });

  test('would not be known through a proxy of the API server, which drops the token', async () => {
    if (ownAddress() === undefined) return;
    const query = `kind=podcliqueset&namespace=${here}&name=${twoRoles.name}`;
    const pod = `/api/v1/namespaces/${releaseNamespace}/pods/https:coppice-0:${port}`;
    const request = { method: 'GET', path: `${pod}/proxy/why?${query}` } as const;
    const { body, status: code } = await stage().transport.request(request);
    expect([code, at(body, 'message')]).toEqual([401, 'a bearer token is needed']);
  });

  test('finds permissions that the controller lacks', patient, async () => {
    const well = await coppice(`check -o json --controller-namespace ${releaseNamespace}`);
    const codes = (ran: Ran): readonly string[] =>
      list(at(JSON.parse(ran.stdout), 'results')).flatMap((result) =>
        list(at(result, 'findings')).map((finding) => text(at(finding, 'code'))),
      );
    expect(codes(well)).not.toContain('permission-missing');
    // It would ask for what it may not.
    await controller.kill();
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/coppice';
    const before = await stage().kube.send({ method: 'GET', path });
    const rules = list(at(before, 'rules')).filter(
      (rule) => !list(at(rule, 'resources')).includes('podgangs'),
    );
    const patch = (value: unknown) =>
      stage().kube.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { rules: value },
      });
    await patch(rules);
    try {
      const ask = () => coppice(`check --controller-namespace ${releaseNamespace}`);
      const isFound = ({ stdout }: Ran): boolean => stdout.includes('permission-missing');
      const { code, stdout } = await eventually('found', ask, isFound);
      expect(code).toBe(pluginExitCodes.problems.code);
      expect(stdout).toContain(
        'system:serviceaccount:coppice-system:coppice may not list podgangs.scheduler.grove.io',
      );
    } finally {
      await patch(at(before, 'rules'));
    }
  });
});

/** One that is no loopback: the API server proxies to no other. */
const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
