// Our webhooks asked by a real kube-apiserver: it takes our registration, says what we say, trusts
// our certificates through a whole rotation, and goes on without us where it should.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '#actors/ports.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { readBundle } from '#src/admission/certificates/bundle.ts';
import { configurationPath } from '#src/admission/registration.ts';
import type { Admission } from '#src/admission/start.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { localAdmission } from '#src/dev/admission.ts';
import type { HttpTransport } from '#src/kube/transport/http.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import { baseSet, replaced } from '#test/admission/examples.ts';
import { releaseNamespace } from '#test/cluster/chart.ts';
import { transportOf } from '#test/cluster/client.ts';
import { startGroveAdmission } from '#test/support/admission.ts';
import { eventually } from '#test/support/eventually.ts';
import { describeReal, type Stage } from './stage.ts';

const hourMs = 60 * 60_000;
const minuteMs = 60_000;

/** Behind real time at first, so that certificates are old and valid when it has caught up. */
const late = { ms: -20 * hourMs };
const clock: Clock = {
  now: () => systemClock.now() + late.ms,
  steady: () => systemClock.steady(),
  at: (due, run) => systemClock.at(due - late.ms, run),
  soon: (run) => systemClock.soon(run),
};

const local = localAdmission(defaultConfiguration);
const configuration = {
  ...defaultConfiguration,
  admission: {
    ...local,
    certificates: { ...local.certificates, authorityDays: 1, certificateDays: 1 },
  },
  authorizer: { ...defaultConfiguration.authorizer, enabled: true },
};

describeReal('Admission asked by kube-apiserver', (stageNow) => {
  const namespace = 'e2e-admission';
  const sets = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;
  let stage: Stage;
  let controller: HttpTransport;
  let admission: Admission;

  beforeAll(async () => {
    stage = stageNow();
    await stage.namespace(namespace);
    controller = await transportOf(stage.given.controllerKubeconfig);
    admission = startGroveAdmission({
      configuration,
      transport: controller,
      namespace: releaseNamespace,
      clock,
      log: (level, message, fields) => {
        if (level !== 'info') console.error(message, fields);
      },
    });
    await admission.started;
    // API servers learn of configurations by a watch.
    await eventually(
      'the API server asks',
      () => send('POST', sets, set('asked', broken), '?dryRun=All'),
      ({ status }) => status === 403,
      30_000,
    );
  });
  afterAll(async () => {
    for (const webhook of enabledWebhooks(true)) {
      await stage.transport.request({ method: 'DELETE', path: configurationPath(webhook) });
    }
    await admission.stop();
    await controller.close();
  });

  const broken = { 'spec.template.cliques[1].spec.roleName': 'router' };
  const set = (name: string, values: Parameters<typeof replaced>[1] = {}): JsonObject =>
    replaced(baseSet, {
      ...values,
      'metadata.name': name,
      'metadata.namespace': namespace,
    });
  const send = (
    method: 'POST' | 'DELETE' | 'GET',
    path: string,
    body?: JsonObject,
    query = '',
    by: HttpTransport = stage.transport,
  ): Promise<KubeResponse> =>
    by.request({ method, path: path + query, ...(body === undefined ? {} : { body }) });

  test('refuses with our words, and fills in our defaults', async () => {
    const refused = await send(
      'POST',
      sets,
      set('bad', { ...broken, 'spec.template.cliques[0].spec.podSpec.nodeName': 'n' }),
    );
    expect(refused.status).toBe(403);
    expect(at(refused.body, 'message')).toBe(
      'admission webhook "pcs.validating.webhooks.grove.io" denied the request: ' +
        '[spec.template.cliques.roleName: Duplicate value: "router",' +
        ' spec.template.cliques[0].spec.podSpec.spec.nodeName: Invalid value: "n": must not be set]',
    );
    expect(at(refused.body, 'details', 'causes')).toHaveLength(2);
    const good = await send('POST', sets, set('good', { 'spec.template.terminationDelay': null }));
    expect(good.status).toBe(201);
    expect(at(good.body, 'spec', 'template', 'terminationDelay')).toBe('4h0m0s');
  });

  test('protects managed objects from others, and from the controller nothing', async () => {
    const services = `/api/v1/namespaces/${namespace}/services`;
    const labels = {
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'good',
    };
    const service: JsonObject = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'good-0', labels },
      spec: { clusterIP: 'None' },
    };
    expect((await send('POST', services, service)).status).toBe(201);
    const denied = await send('DELETE', `${services}/good-0`);
    expect(denied.status).toBe(403);
    expect(at(denied.body, 'message')).toContain('"admin" may not delete it');
    const done = await send('DELETE', `${services}/good-0`, undefined, '', controller);
    expect(done.status).toBe(200);
  });

  test('fails no admission while authority and certificate are replaced', async () => {
    const begun = await trusted();
    expect(readBundle(begun)).toHaveLength(1);
    const first = await served();
    const life = { isOver: false };
    const answers = new Map<string, number>();
    const load = (async () => {
      for (let index = 0; !life.isOver; index += 1) {
        const { status, body } = await send('POST', sets, set(`load-${index}`), '?dryRun=All');
        const answer = status === 201 ? '201' : `${status} ${text(at(body, 'message'))}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    })();
    const until = (what: string, claim: (bundle: string) => boolean): Promise<unknown> =>
      eventually(what, trusted, claim, 60_000);
    try {
      late.ms = 0;
      await until('both trusted', (bundle) => readBundle(bundle).length === 2);
      late.ms = 6 * minuteMs;
      await eventually('a new certificate', served, (name) => name !== first, 60_000);
      late.ms = 12 * minuteMs;
      await until('the old one forgotten', (bundle) => readBundle(bundle).length === 1);
    } finally {
      life.isOver = true;
      await load;
    }
    expect([...answers.keys()]).toEqual(['201']);
    expect(await trusted()).not.toBe(begun);
    console.log(`${answers.get('201')} admissions during the rotation`);
  });

  test('is in the way of nothing else while it is away', async () => {
    await send('POST', sets, set('left', { 'metadata.finalizers': ['test.io/mine'] }));
    await admission.stop();
    const { status, body } = await send('POST', sets, set('new'));
    expect(status).toBe(500);
    expect(at(body, 'message')).toContain('failed calling webhook "pcs.defaulting.webhooks.grove');

    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const labels = { 'app.kubernetes.io/managed-by': 'grove-operator' };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', labels } };
    expect((await send('POST', maps, map)).status).toBe(201);
    const services = `/api/v1/namespaces/${namespace}/services`;
    const spec = { clusterIP: 'None' };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'theirs' }, spec };
    expect((await send('POST', services, service)).status).toBe(201);
    expect((await send('DELETE', `${services}/theirs`)).status).toBe(200);

    // A set that goes: deleted, its finalizer taken away.
    expect((await send('DELETE', `${sets}/left`)).status).toBe(200);
    const freed = await stage.transport.request({
      method: 'PATCH',
      path: `${sets}/left`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: [] } },
    });
    expect(freed.status).toBe(200);
    expect((await send('GET', `${sets}/left`)).status).toBe(404);
  });

  /** The certificate in the Secret. */
  const served = async (): Promise<string> => {
    const { secretName } = local.certificates;
    const path = `/api/v1/namespaces/${releaseNamespace}/secrets/${secretName}`;
    const { body } = await send('GET', path);
    return text(at(body, 'data', 'tls.crt'));
  };

  const trusted = async (): Promise<string> => {
    const [webhook] = enabledWebhooks(false);
    if (webhook === undefined) throw new Error('no webhook');
    const { body } = await send('GET', configurationPath(webhook));
    const bundle = text(at(list(at(body, 'webhooks'))[0], 'clientConfig', 'caBundle'));
    return Buffer.from(bundle, 'base64').toString('utf8');
  };
});
