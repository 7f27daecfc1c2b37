// The API of the inspector's page against RBAC of a real API server: who may list one namespace
// sees that alone, and parking takes a verb of Coppice's own.
import { beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { manifest, type SetWanted } from './sets.ts';
import { describeReal } from './stage.ts';

const patient = { timeout: 120_000 };
const demo: SetWanted = { name: 'demo', replicas: 1, cliques: [{ name: 'worker', replicas: 1 }] };
/** Those of the chart's ClusterRoles `inspector-view` and `inspector-park`. */
const [seeing, parking] = [['get', 'list'], ['park']] as const;
const users = { viewer: [...seeing], parker: [...seeing, ...parking], stranger: [] } as const;
type User = keyof typeof users;

describeReal('The inspector on the real control plane', (stage) => {
  const here = { red: '', blue: '' };
  const tokens = new Map<string, string>();
  let url = '';

  const roles = (): string => `/apis/rbac.authorization.k8s.io/v1/namespaces/${here.red}`;
  const post = (path: string, body: JsonObject): Promise<unknown> =>
    stage().kube.send({ method: 'POST', path, body });

  /** A ServiceAccount that may do this with sets and what they own, in `red` alone. */
  async function makeUser(user: User): Promise<void> {
    const accounts = `/api/v1/namespaces/${here.red}/serviceaccounts`;
    await post(accounts, { metadata: { name: user } });
    const apiVersion = 'authentication.k8s.io/v1';
    const token = { apiVersion, kind: 'TokenRequest', spec: {} };
    const made = await post(`${accounts}/${user}/token`, token);
    tokens.set(user, text(at(made, 'status', 'token')));
    const verbs = [...users[user]];
    if (verbs.length === 0) return;
    const metadata = { name: `${user}-of-inspector` };
    const apiGroups = ['grove.io', 'scheduler.grove.io'];
    await post(`${roles()}/roles`, { metadata, rules: [{ apiGroups, resources: ['*'], verbs }] });
    await post(`${roles()}/rolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: user, namespace: here.red }],
    });
  }

  const ask = async (user: string, path: string, reason?: string) => {
    const headers = { authorization: `Bearer ${tokens.get(user) ?? user}` };
    const json = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/${path}`, {
      ...(reason === undefined
        ? { headers }
        : { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify({ reason }) }),
    });
    const body: unknown = await response.json();
    return { status: response.status, body, message: text(at(body, 'message')) };
  };
  const of = (color: 'red' | 'blue', rest = ''): string =>
    `actors/podcliqueset/${here[color]}/${demo.name}${rest}`;

  beforeAll(async () => {
    for (const color of ['red', 'blue'] as const) {
      here[color] = await stage().namespace(`e2e-inspector-${color}`);
    }
    const controller = await stage().controller({
      settings: { inspector: { enabled: true, port: 0 } },
    });
    [, url = ''] = await controller.line(/"inspector":"([^"]+)"/);
    await makeUser('viewer');
    await makeUser('parker');
    await makeUser('stranger');
    for (const namespace of Object.values(here)) {
      await stage().kube.create(namespace, 'podcliquesets', manifest(demo));
      await stage().available(namespace, demo, 120_000);
    }
    // Whether a new binding counts the authorizer of the server says a moment later.
    const isIn = ({ status }: { status: number }): boolean => status === 200;
    for (const user of ['viewer', 'parker']) {
      await eventually(`${user} let in`, () => ask(user, of('red')), isIn, 60_000);
    }
  }, 240_000);

  test('shows a user the namespace that they may list, and nothing of the others', async () => {
    const { body } = await ask('viewer', 'actors');
    const namespaces = list(at(body, 'rows', 'tables', 'namespace'));
    expect(namespaces).toEqual([here.red]);
    const everything = await Promise.all(
      ['actors', 'facts', 'overview'].map(async (path) => (await ask('viewer', path)).body),
    );
    expect(JSON.stringify(everything)).not.toContain(here.blue);
    expect((await ask('viewer', of('red', '/why'))).status).toBe(200);
    for (const path of [`actors?namespace=${here.blue}`, of('blue'), of('blue', '/why')]) {
      const { status, message } = await ask('viewer', path);
      expect([path, status]).toEqual([path, 403]);
      expect(message).toContain(`system:serviceaccount:${here.red}:viewer may `);
      expect(message).toContain(here.blue);
    }
  });

  test('shows nothing to a user without rights, and nobody else is let in', async () => {
    const { body } = await ask('stranger', 'actors');
    expect(body).toMatchObject({ rows: { name: [] } });
    expect((await ask('stranger', of('red'))).status).toBe(403);
    expect((await ask('nobody', 'actors')).status).toBe(401);
  });

  test('takes commands from who has the verb park in the namespace', patient, async () => {
    const refused = await ask('viewer', of('red', '/park'), 'I look');
    expect(refused.status).toBe(403);
    expect(refused.message).toContain(':viewer may not park podcliquesets');
    expect((await ask('parker', of('blue', '/park'), 'I look')).status).toBe(403);
    expect(await ask('parker', of('red', '/park'), 'I look')).toMatchObject({
      status: 200,
      body: { parked: true },
    });
    expect(await ask('parker', of('red', '/unpark'), 'I have looked')).toMatchObject({
      status: 200,
      body: { wasParked: true },
    });
    const told = async (): Promise<readonly string[]> =>
      (await stage().kube.list(here.red, 'events'))
        .filter(({ reason }) => /^Actor(?:Unp|P)arked$/.test(text(reason)))
        .map(({ reason, message }) => `${text(reason)} ${text(message)}`);
    const all = await eventually('told', told, ({ length }) => length === 2);
    expect(all.toSorted()).toEqual([
      expect.stringMatching(/^ActorParked .*:parker: I look$/),
      expect.stringMatching(/^ActorUnparked .*:parker: I have looked$/),
    ]);
  });

  test('takes no command any more once the binding is gone', patient, async () => {
    const path = `${roles()}/rolebindings/parker-of-inspector`;
    await stage().kube.send({ method: 'DELETE', path });
    const isRefused = ({ status }: { status: number }): boolean => status === 403;
    const park = () => ask('parker', of('red', '/park'), 'again');
    await eventually('refused', park, isRefused);
  });
});
