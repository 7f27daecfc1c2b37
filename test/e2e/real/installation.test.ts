// The life of an installation on a real API server: its accounts, its metrics over TLS, CRDs before
// an upgrade and after an uninstallation, and what becomes of objects when the controller goes
// first.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { baseSet, replaced } from '#test/admission/examples.ts';
import { binary } from '#test/cluster/up.ts';
import { eventually } from '#test/support/eventually.ts';
import { root } from '#test/tidy/sources.ts';
import { type Grant, grantsIn, lineOf } from '#test/charts/grants.ts';
import { isLookForLeftovers, Release, unregister } from './helm-release.ts';
import { manifest, pairs } from './sets.ts';
import { describeReal } from './stage.ts';

const run = promisify(execFile);
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const gangs = `${definitions}/podgangs.scheduler.grove.io`;
const mergePatch = 'application/merge-patch+json';

describeReal('An installation', (stage) => {
  beforeAll(() => stage().allowsRefusal(isLookForLeftovers));
  afterEach(() => unregister(stage().transport));

  test('of Helm 4 is taken, changes nothing twice, and leaves its CRDs behind', async () => {
    const release = new Release(stage(), await stage().namespace('life-helm4'), 'helm4');
    await release.install({});
    const installed = await release.versions();
    await release.upgrade({});
    expect(await release.versions()).toEqual(installed);
    await release.uninstall();
    expect(at(await stage().kube.send({ method: 'GET', path: gangs }), 'kind')).toBe(
      'CustomResourceDefinition',
    );
  });

  test('has its CRDs put right before an upgrade, under the account of the hook', async () => {
    const { kube } = stage();
    const release = new Release(stage(), await stage().namespace('life-crds'));
    await release.part('crds-hook.yaml', {});
    const versions = at(await kube.send({ method: 'GET', path: gangs }), 'spec', 'versions');
    const columns = at(list(versions)[0], 'additionalPrinterColumns');
    const without = list(versions).map((version) => ({
      ...Object(version),
      additionalPrinterColumns: [],
    }));
    const body = { spec: { versions: without } };
    await kube.send({ method: 'PATCH', path: gangs, contentType: mergePatch, body });
    const kubeconfig = await release.kubeconfig(`${release.name}-crds`);
    const hook = stage().coppice('crds', '--kubeconfig', kubeconfig);
    await hook.line(/applied podgangs\.scheduler\.grove\.io/);
    expect(await hook.ended).toMatchObject({ code: 0 });
    const after = at(await kube.send({ method: 'GET', path: gangs }), 'spec', 'versions');
    expect(at(list(after)[0], 'additionalPrinterColumns')).toEqual(columns);
  });

  test('has accounts that may not do each other’s work', async () => {
    const namespace = await stage().namespace('life-accounts');
    const release = new Release(stage(), namespace);
    const values = { podMonitor: { enabled: true } };
    const manifests = await release.render(values);
    for (const template of ['crds-hook.yaml', 'monitors.yaml'])
      await release.part(template, values);
    const [hook, metrics] = [`${release.name}-crds`, `${release.name}-metrics`];
    const ofController = grantsIn(manifests, release.name);
    const ofHook = grantsIn(manifests, hook);
    expect(ofController.length).toBeGreaterThan(50);
    const allowed = async (account: string, grants: readonly Grant[]) => {
      const user = `system:serviceaccount:${namespace}:${account}`;
      const answers = await Promise.all(grants.map((grant) => mayUser(user, namespace, grant)));
      return grants.filter((_, index) => answers[index]).map(lineOf);
    };
    const own = ofHook.map(lineOf);
    expect(await allowed(hook, ofHook)).toEqual(own);
    const others = ofController.filter((grant) => !own.includes(lineOf(grant)));
    expect(await allowed(hook, others)).toEqual([]);
    expect(await allowed(metrics, [...ofController, ...ofHook])).toEqual([]);
  });

  test('has webhooks under an account of their own, which may do nothing of the controller’s', async () => {
    const { kube, transport } = stage();
    const namespace = await stage().namespace('life-webhook');
    const sets = await stage().namespace('life-webhook-sets');
    const release = new Release(stage(), namespace);
    const values = { webhooks: { separate: true }, config: { authorizer: { enabled: true } } };
    await release.install(values);
    const controller = await release.controller();
    const webhook = await release.webhook();
    const wanted = pairs('apart', 1);
    const bad = replaced(baseSet, {
      'metadata.namespace': sets,
      'spec.template.cliques[1].spec.roleName': 'router',
    });
    const path = `/apis/grove.io/v1alpha1/namespaces/${sets}/podcliquesets`;
    const refused = () => transport.request({ method: 'POST', path, body: bad });
    await eventually('refused', refused, ({ status }) => status === 403, 60_000);
    await kube.create(sets, 'podcliquesets', manifest(wanted));
    await stage().ready(sets, wanted);
    // The authorizer lets the controller pass, whose name it was told, and nobody else.
    const service = `/api/v1/namespaces/${sets}/services/apart-0`;
    const denied = await transport.request({ method: 'DELETE', path: service });
    expect([denied.status, text(at(denied.body, 'message'))]).toEqual([
      403,
      expect.stringContaining('may not delete it'),
    ]);
    const manifests = await release.render(values);
    const own = `${release.name}-webhook`;
    // What is granted in the namespace of the release is asked about there.
    const here = (grant: Grant): string => lineOf({ ...grant, scope: 'namespace' });
    const ofWebhook = grantsIn(manifests, own).map(here);
    const ofController = grantsIn(manifests, release.name);
    const others = ofController.filter((grant) => !ofWebhook.includes(here(grant)));
    const user = `system:serviceaccount:${namespace}:${own}`;
    const answers = await Promise.all(others.map((grant) => mayUser(user, namespace, grant)));
    expect(others.length).toBeGreaterThan(50);
    expect(others.filter((_, index) => answers[index]).map(lineOf)).toEqual([]);
    await kube.delete(sets, 'podcliquesets', 'apart');
    await stage().empty(sets);
    for (const program of [webhook, controller]) {
      program.signal('SIGTERM');
      expect((await program.ended).code).toBe(0);
    }
    await release.uninstall();
  });

  async function mayUser(user: string, namespace: string, grant: Grant): Promise<boolean> {
    const { group, verb, name } = grant;
    const [resource = '', subresource = ''] = grant.resource.split('/');
    const resourceAttributes = { group, resource, subresource, verb, name, namespace };
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups: ['system:serviceaccounts'], resourceAttributes },
    };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    return (
      at(await stage().kube.send({ method: 'POST', path, body }), 'status', 'allowed') === true
    );
  }

  test('serves metrics over TLS to whoever may get them, and to nobody else', async () => {
    const { kube } = stage();
    const namespace = await stage().namespace('life-metrics');
    const release = new Release(stage(), namespace);
    await release.install({});
    await release.bindMetrics('default');
    const controller = await release.controller();
    const [, port] = await controller.line(/"port":(\d+).*answers questions over HTTPS/);
    const path = `/api/v1/namespaces/${namespace}/secrets/coppice-questions-cert`;
    const secret = await kube.send({ method: 'GET', path });
    const ca = Buffer.from(text(at(secret, 'data', 'ca.crt')), 'base64').toString();
    const dispatcher = new Agent({ connect: { ca } });
    const scrape = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const reply = await request(`https://127.0.0.1:${port}/metrics`, { dispatcher, headers });
      return { status: reply.statusCode, body: await reply.body.text() };
    };
    const token = await release.token('default');
    const scraped = await eventually(
      'scraped',
      () => scrape(token),
      ({ status }) => status === 200,
    );
    expect(scraped.body).toContain('coppice_actors{');
    expect(scraped.body).toContain('coppice_certificate_not_after_seconds{name="questions"}');
    expect(scraped.body).toContain('coppice_shards ');
    expect(await scrape(await release.token(release.name))).toMatchObject({ status: 403 });
    expect(await scrape()).toMatchObject({ status: 401 });
    await dispatcher.destroy();
    controller.signal('SIGTERM');
    await controller.ended;
    await release.uninstall();
  });

  test('whose controller went first keeps what is deleted, until the commands of the README', async () => {
    const { kube } = stage();
    const users = await stage().namespace('life-finalizers');
    const controller = await stage().controller();
    const wanted = pairs('left', 1);
    await kube.create(users, 'podcliquesets', manifest(wanted));
    await stage().ready(users, wanted);
    await controller.kill();
    await kube.delete(users, 'podcliquesets', 'left');
    const left = await eventually(
      'the set deleted',
      () => kube.get(users, 'podcliquesets', 'left'),
      (set) => set?.metadata.deletionTimestamp !== undefined,
    );
    expect(left?.metadata.finalizers).toEqual(['grove.io/podcliqueset.grove.io']);
    expect(await kube.list(users, 'pods')).toHaveLength(2);

    const readme = readFileSync(join(root, 'charts/coppice/README.md'), 'utf8');
    const [, script = ''] = /```sh\n(kubectl delete mutating[^`]*)```/.exec(readme) ?? [];
    const { PATH = '' } = process.env;
    const environment = {
      ...process.env,
      PATH: `${dirname(binary('kubectl'))}:${PATH}`,
      KUBECONFIG: stage().given.kubeconfig,
    };
    await run('bash', ['-ec', script], { env: environment });
    await stage().empty(users);
  });
});
