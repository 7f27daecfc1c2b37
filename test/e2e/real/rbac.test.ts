// What the chart grants, on a real API server: Helm and the server take it, it is enough for all
// that the controller does, and nothing of it is granted in vain.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import {
  chartFolder,
  type Grant,
  grantsIn,
  lineOf,
  named,
  templateGrants,
  withoutWhen,
} from '#test/charts/grants.ts';
import { everything, release, releaseNamespace, rendered } from '#test/cluster/chart.ts';
import { binary } from '#test/cluster/up.ts';
import { eventually } from '#test/support/eventually.ts';
import { type AuditedRequest, forbidden } from './audit.ts';
import { installBackends } from './backend-crds.ts';
import { certificate, Everything, questionsCertificate, settings } from './everything.ts';
import { describeReal } from './stage.ts';

const run = promisify(execFile);

/** Permissions that leave no trace in an audit log, or need a race to be used. */
const unseen: readonly { readonly which: RegExp; readonly why: string }[] = [
  { which: /\/finalizers update$/, why: 'asked for by admission of a child, not by a request' },
  { which: / \/pods\/status /, why: 'handed on in the Roles of PodCliqueSets' },
  { which: /webhookconfigurations ".*" create$/, why: 'server-side apply: the request is a patch' },
  {
    which:
      /\/(podcliques\w*|podgangs|pods|clustertopologybindings|topologies|podgroups|computedomains) get$/,
    why: 'after a lost race alone',
  },
  { which: /\/leases get$/, why: 'after a renewal without an answer' },
];

/** With this only what Grove needs is granted. */
const nothing = {
  leases: { enabled: false },
  admission: { enabled: false },
  questions: { enabled: false },
  server: { metricsBindAddress: '0.0.0.0' },
  agentSandbox: { extensions: false },
};
/** Without leases there is one process. */
const leastOf = (config: JsonObject): JsonObject => ({ replicaCount: 1, config });

const uses =
  ({ scope, group, resource, name, verb }: Grant) =>
  (request: AuditedRequest): boolean =>
    request.code < 300 &&
    [request.group, request.resource, request.verb].join() === [group, resource, verb].join() &&
    (scope === 'cluster' || request.namespace === releaseNamespace) &&
    (name === '' || request.name === name);

describeReal('The chart on the real control plane', (at) => {
  afterAll(async () => {
    for (const webhook of enabledWebhooks(true)) {
      await at().transport.request({ method: 'DELETE', path: configurationPath(webhook) });
    }
  });

  test('is taken by Helm and by the API server, with everything on and off', async () => {
    const stage = at();
    const { stdout } = await run(binary('helm'), ['lint', '--strict', chartFolder]);
    expect(stdout).toContain('0 chart(s) failed');
    const off = leastOf(nothing);
    for (const [name, values] of Object.entries({ everything, defaults: {}, off })) {
      const file = join(stage.folder, `${name}.yaml`);
      writeFileSync(file, await rendered(stage.folder, values));
      const words = ['apply', '--dry-run=server', '-f', file, '-o', 'name'];
      const { kubeconfig } = stage.given;
      const said = await run(binary('kubectl'), ['--kubeconfig', kubeconfig, ...words]);
      expect(said.stdout).toContain('deployment.apps/coppice');
    }
  });

  test('grants what its templates are read to grant, and nothing that is off', async () => {
    const { folder } = at();
    const read = named(templateGrants());
    const all = grantsIn(await rendered(folder, everything), release);
    expect(withoutWhen(all)).toEqual(withoutWhen(read));
    for (const on of [['grove'], ['nvidia'], ['agentsandbox'], ['grove', 'nvidia'], []]) {
      const names = Object.keys(defaultConfiguration.modules);
      const modules = Object.fromEntries(names.map((name) => [name, on.includes(name)]));
      const values = leastOf({ ...nothing, modules });
      const least = grantsIn(await rendered(folder, values), release);
      expect(withoutWhen(least)).toEqual(
        withoutWhen(
          read.filter(({ when }) =>
            when.split(' ').every((word) => ['', 'driver', ...on].includes(word)),
          ),
        ),
      );
    }
  });

  test('mounts the Secret with the access to NATS where one is named', async () => {
    const { folder } = at();
    const bus = { enabled: true, nkeySeedFile: '/var/run/secrets/nats/seed' };
    const values = { natsSecretName: 'nats-access', config: { bus } };
    const named = await rendered(folder, values);
    expect(named).toContain('mountPath: /var/run/secrets/nats\n');
    expect(named).toContain('secretName: nats-access\n');
    expect(named).toContain('nkeySeedFile: /var/run/secrets/nats/seed\n');
    expect(await rendered(folder, {})).not.toContain('/var/run/secrets/nats');
  });

  test('tells a process by which address the others reach it, where they are to', async () => {
    const { folder } = at();
    const told = ['name: COPPICE_POD_IP', 'fieldPath: status.podIP', 'targetPort: questions'];
    const [on, off] = [await rendered(folder, {}), await rendered(folder, leastOf(nothing))];
    expect(told.filter((line) => !on.includes(line))).toEqual([]);
    expect(told.filter((line) => off.includes(line))).toEqual([]);
  });

  test('lets the controller do everything, and grants nothing in vain', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-rbac');
    const before = stage.audit.all().length;
    onTestFinished(await installBackends(stage.kube));
    for (const path of [certificate, questionsCertificate]) {
      await stage.kube.send({ method: 'DELETE', path }).catch(() => {});
    }
    const day = new Everything(stage, here);
    const first = await stage.controller({ settings });
    await first.line(/serves the admission webhooks/);
    await day.takeNames();
    await day.readSecret();
    await day.deploy();
    await day.ask(await first.line(/"port":(\d+).*answers questions over HTTPS/));
    await day.tamper();
    first.signal('SIGTERM');
    await first.ended;
    // With other certificates, whose authority must be trusted in the place of the first.
    await stage.kube.send({ method: 'DELETE', path: certificate });
    const second = await stage.controller({ settings });
    await second.line(/serves the admission webhooks/);
    await day.bind();
    await day.queue();
    await day.share();
    await day.scale();
    await day.remove();
    await eventually(
      'an Event with a count',
      () => stage.audit.requests(here),
      (all) =>
        all.some(
          // One that is not there is answered with 404, and created.
          ({ resource, verb, code }) => resource === 'events' && verb === 'patch' && code < 300,
        ),
    );
    second.signal('SIGTERM');
    await second.ended;
    await stage.idle(500); // the audit log is written after the answers
    const requests = stage.audit.all().slice(before);
    expect(forbidden(requests)).toEqual([]);
    // What ComputeDomains and Sandboxes need is used by no part of this day.
    const modules = { nvidia: false, agentsandbox: false };
    const used = { config: { ...object(everything['config']), modules } };
    const granted = grantsIn(await rendered(stage.folder, used), release);
    const vain = granted
      .filter((grant) => !requests.some(uses(grant)))
      .map(lineOf)
      .filter((line) => !unseen.some(({ which }) => which.test(line)));
    expect(vain).toEqual([]);
    stage.say(`${requests.length} requests under ${granted.length} permissions, none refused`);
  });
});
