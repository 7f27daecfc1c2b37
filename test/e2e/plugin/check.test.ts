// Broken installations: objects of the API server. Each is broken for real on an embedded cluster,
// and the check finds that and nothing else, with a hint. Permissions are for the real control
// plane (test/e2e/real/plugin.test.ts), processes for check-processes.test.ts.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { broken, configured, definition, installed, patched } from './broken.ts';
import { codes, configuration, paths } from './installation.ts';

const { installation, expectOnly, send, without } = installed();

describe('The check of an installation', () => {
  test('finds nothing in a healthy one', async () => {
    await installation.renewed(0);
    expect(await installation.findings()).toEqual([]);
  });

  test('finds a CRD that is missing', () =>
    expectOnly('crd-missing', 'the CRD podcliques.grove.io is missing', () =>
      without(`${paths.crds}/podcliques.grove.io`),
    ));

  test('finds a CRD of another release', async () => {
    const path = `${paths.crds}/podgangs.scheduler.grove.io`;
    await expectOnly('crd-version', 'serves v1, not v1alpha1', async () => {
      const back = await without(path);
      const names = { kind: 'PodGang', plural: 'podgangs', singular: 'podgang' };
      await send('POST', paths.crds, definition(names, 'v1'));
      return async () => {
        await installation.delete(path);
        await back();
      };
    });
  });

  test('finds a CRD whose names another one has', () =>
    expectOnly(
      'crd-not-established',
      'podgangs.scheduler.grove.io is not established',
      async () => {
        const path = `${paths.crds}/podgangs.scheduler.grove.io`;
        const back = await without(path);
        const names = { kind: 'Other', plural: 'pgs', singular: 'podgang' };
        await send('POST', paths.crds, definition(names, 'v1alpha1'));
        await back();
        return async () => {
          await installation.delete(`${paths.crds}/pgs.scheduler.grove.io`);
          await installation.delete(path);
          await back();
        };
      },
    ));

  test('finds CRDs of several versions that nobody converts', () =>
    expectOnly('crd-conversion', 'sandboxes.agents.x-k8s.io serves several versions', () =>
      configured(
        installation,
        JSON.stringify(configuration({ modules: { grove: true, agentsandbox: true } })),
      ),
    ));

  test('finds webhooks that are not registered', () =>
    expectOnly('webhook-missing', 'podcliqueset-validating-webhook is missing', () =>
      without(paths.webhook),
    ));

  test('finds a webhook that the API server does not trust', () =>
    expectOnly('webhook-not-trusted', 'is of another authority', async () => {
      const back = await without(paths.secret);
      await installation.webhooks().catch(() => {}); // a new Secret; the webhooks are there already
      return async () => {
        await installation.delete(paths.secret);
        await back();
      };
    }));

  test('finds a webhook that leads to a Service that is missing', () =>
    expectOnly('webhook-service', 'leads to Service coppice-system/coppice, which is missing', () =>
      without(paths.service),
    ));

  test('finds webhooks of another installation', () =>
    expectOnly('webhook-service', 'but the controller is in coppice-system', async () => {
      const before = await send('GET', paths.webhook);
      const [webhook] = before['webhooks'] as [{ clientConfig: { service: JsonObject } }];
      const service = { ...webhook.clientConfig.service, namespace: 'elsewhere' };
      const clientConfig = { ...webhook.clientConfig, service };
      return patched(
        installation,
        paths.webhook,
        { webhooks: [{ ...webhook, clientConfig }] },
        { webhooks: [webhook] },
      );
    }));

  test('finds a certificate that has ended', async () => {
    const findings = await broken(installation, async () => {
      const back = await without(paths.secret);
      await installation.webhooks(0).catch(() => {});
      return async () => {
        await installation.delete(paths.secret);
        await back();
      };
    });
    expect(codes(findings)).toContain('certificate-expired');
    expect(findings.map(({ what }) => what).join()).toMatch(/grove-webhook-server-cert ended at /);
  });
});
