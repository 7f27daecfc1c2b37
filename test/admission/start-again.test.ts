// Admission that cannot register itself at first: it serves nothing until it can, and leaves
// nothing that listens behind.
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { list, at } from '#machines/kubernetes/json.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { installCrds } from '#src/dev/crds.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { patient } from '#test/support/eventually.ts';
import { startGroveAdmission } from '#test/support/admission.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

/** Whether somebody listens there. */
const isServed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

it('Admission that cannot be registered serves nothing, and tries again until it can', async () => {
  const cluster = createCluster({ clock: systemClock, random: systemRandom, controllers: false });
  onTestFinished(() => cluster.stop());
  await cluster.start();
  await installCrds(cluster.transport());
  const inner = cluster.transport();
  const ports: number[] = [];
  let isRefused = true;
  const transport: KubeTransport = {
    watch: (path, sink) => inner.watch(path, sink),
    request: (request) => {
      if (request.method !== 'PATCH' || !request.path.includes('webhookconfigurations')) {
        return inner.request(request);
      }
      const [webhook] = list(at(request.body, 'webhooks'));
      ports.push(Number(new URL(String(at(webhook, 'clientConfig', 'url'))).port));
      const refusal = { status: 500, headers: {}, body: { message: 'not now' } };
      return isRefused ? Promise.resolve(refusal) : inner.request(request);
    },
  };
  const clock = new VirtualClock(systemClock.now());
  const { admission } = defaultConfiguration;
  const started = startGroveAdmission({
    configuration: {
      ...defaultConfiguration,
      admission: {
        ...{ ...admission, enabled: true, bindAddress: '127.0.0.1' },
        ...{ port: 0, registration: 'url' },
      },
    },
    ...{ transport, namespace: 'default', clock },
    log: () => {},
  });
  await vi.waitFor(
    () => expect(started.ready.run()).toMatch(/cannot be registered: .*not now/),
    patient,
  );
  const [first = 0] = ports;
  expect(await isServed(first)).toBe(false);
  isRefused = false;
  await vi.waitFor(async () => {
    await clock.advance(15_000);
    expect(started.ready.run()).toBeUndefined();
  }, patient);
  await started.started;
  const last = ports.at(-1) ?? 0;
  expect(await isServed(last)).toBe(true);
  await started.stop();
  expect(await isServed(last)).toBe(false);
});
