// Broken installations: processes of the controller, their leases, their clocks and NATS, as
// check.test.ts has the objects.
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { natsSkip, startTestServer } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { broken, configured, installed, patched } from './broken.ts';
import { codes, configuration, namespace, paths } from './installation.ts';

const { installation, expectOnly, send, without } = installed();

describe('The check of processes', () => {
  test('finds leases that nobody renews', () =>
    expectOnly('lease-expired', 'the last was that of c0, 120 s ago', async () => {
      await installation.renewed(-120_000);
      return () => installation.renewed(0);
    }));

  test('finds a shard that nobody owns', () =>
    expectOnly('shard-unowned', 'nobody who lives owns shard 1', () =>
      without(`${paths.leases}/coppice-shard-1`),
    ));

  test('finds replicas that disagree on the number of shards', () =>
    expectOnly('shards-differ', 'shard 7 is owned, but the configuration says 2', async () => {
      await installation.shard(7, 'c0');
      return () => installation.delete(`${paths.leases}/coppice-shard-7`);
    }));

  test('finds a controller whose clock is ahead', () =>
    expectOnly('clock-skew', 'the clock of c0 is 60 s ahead', async () => {
      await installation.renewed(60_000);
      return () => installation.renewed(0);
    }));

  test('finds that this machine has another time', async () => {
    await installation.renewed(0);
    const late = { ...systemClock, now: () => systemClock.now() - 3_600_000 };
    const dated = {
      path: /^\/version$/,
      answer: () => ({
        status: 200,
        headers: { date: new Date().toUTCString() },
        body: { major: '1', minor: '35' },
      }),
    };
    const findings = await installation.findings(dated, late);
    expect(findings.map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^the clock of this machine is 3(?:599|600) s behind/),
    );
  });

  test('finds that no controller is there', async () => {
    const findings = await broken(installation, () => without(paths.pod));
    expect(codes(findings)).toContain('controller-missing');
  });

  test('finds a controller that does not become ready, and says why', async () => {
    const ready = { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [] };
    const state = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const status = {
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      containerStatuses: [
        {
          ...{ name: 'controller', image: '', imageID: '', ready: false, restartCount: 3 },
          ...{ ...state, lastState: { terminated: { exitCode: 2 } } },
        },
      ],
    };
    const what = 'coppice-0 is not ready: CrashLoopBackOff, it ended with 2';
    await expectOnly('controller-not-ready', what, () =>
      patched(installation, `${paths.pod}/status`, { status }, { status: ready }),
    );
  });

  test('finds controllers of several versions', () =>
    expectOnly('controller-versions', 'coppice:0.1.0, coppice:0.2.0', async () => {
      await installation.pod('coppice:0.2.0', 'coppice-1');
      return () => installation.delete(`/api/v1/namespaces/${namespace}/pods/coppice-1`);
    }));

  test('finds a configuration that cannot be read', async () => {
    const findings = await broken(installation, () =>
      configured(installation, '{"kind":"CoppiceConfiguration","shards":"x"}'),
    );
    expect(codes(findings)).toContain('configuration-wrong');
    expect(findings[0]?.what).toContain(`ConfigMap ${namespace}/coppice: `);
  });

  test("finds Grove's own operator at work", () =>
    expectOnly(
      'another-controller',
      "Grove's operator controller runs beside Coppice",
      async () => {
        const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
        const name = 'grove-operator-leader-election';
        await send('POST', leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name },
          spec: {
            holderIdentity: 'grove-0',
            leaseDurationSeconds: 15,
            renewTime: new Date().toISOString().replace('Z', '000Z'),
          },
        });
        return () => installation.delete(`${leases}/${name}`);
      },
    ));

  test('finds objects on which the work has stopped', async () => {
    const sets = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';
    const condition = { type: 'Parked', status: 'True', reason: 'x', message: 'x' };
    const times = { lastTransitionTime: '2026-01-01T00:00:00Z' };
    const what = 'podcliquesets.grove.io/default/stopped';
    await expectOnly('parked', what, async () => {
      // Nobody answers for the webhooks here.
      const hooks = await Promise.all(
        ['validating', 'mutating'].map((one) =>
          without(
            `/apis/admissionregistration.k8s.io/v1/${one}webhookconfigurations/podcliqueset-${
              one === 'mutating' ? 'defaulting' : one
            }-webhook`,
          ),
        ),
      );
      await send('POST', sets, {
        apiVersion: 'grove.io/v1alpha1',
        kind: 'PodCliqueSet',
        metadata: { name: 'stopped' },
        spec: { replicas: 1, template: { cliques: [] } },
      });
      const status = { conditions: [{ ...condition, ...times }] };
      await send('PATCH', `${sets}/stopped/status`, { status });
      for (const back of hooks) await back();
      return () => installation.delete(`${sets}/stopped`);
    });
  });

  test('finds an API server that is too old, or away', async () => {
    await installation.renewed(0);
    const old = {
      path: /^\/version$/,
      answer: () => ({ status: 200, body: { major: '1', minor: '26+' } }),
    };
    expect((await installation.findings(old)).map(({ what }) => what)).toContain(
      'the API server is of version 1.26',
    );
    const away = {
      path: /./,
      answer: () => {
        throw new Error('connect ECONNREFUSED 10.0.0.1:443');
      },
    };
    expect(codes(await installation.findings(away))).toEqual(['server-unreachable']);
  });
});

describe('The check of NATS', () => {
  const servers = (url: string) =>
    configured(
      installation,
      JSON.stringify(configuration({ bus: { enabled: true, servers: [url] } })),
    );
  let stranger: Server;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        stranger = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
        stranger.listen(0, '127.0.0.1', resolve);
      }),
  );
  afterAll(() => void stranger.close());

  test('finds that nobody answers', async () => {
    const port = await freePort();
    await expectOnly('nats-unreachable', 'connect ECONNREFUSED', () =>
      servers(`nats://127.0.0.1:${port}`),
    );
  });

  test('finds that somebody else answers', async () => {
    const address = stranger.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expectOnly('nats-unreachable', 'what answers there is no NATS server', () =>
      servers(`127.0.0.1:${port}`),
    );
  });

  test.skipIf(natsSkip !== '')(`finds nothing where NATS is well${natsSkip}`, async () => {
    const nats = await startTestServer({
      dataDir: '/tmp/coppice-check-nats',
      port: await freePort(),
    });
    try {
      expect(await broken(installation, () => servers(nats.url))).toEqual([]);
    } finally {
      await nats.stop();
    }
  });
});
