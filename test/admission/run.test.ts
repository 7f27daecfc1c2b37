// The webhooks in a process of their own: what they say, serve and count until they stop, and what
// keeps them from their start.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Agent, request } from 'undici';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { startWebhooks } from '#src/admission/run.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { createLog } from '#src/log/log.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Authority } from '#src/tls/authority.ts';
import { patient } from '#test/support/eventually.ts';
import { baseSet } from './examples.ts';
import { reviewOf, testAuthority } from './served.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-webhooks-'));
const path = '/webhooks/validate-podcliqueset';
let authority: Authority;
beforeAll(async () => {
  authority = await testAuthority('test');
  const { cert, key } = await authority.server(['localhost'], ['127.0.0.1']);
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** With certificates in files, and registered by somebody else, they ask nothing of the cluster. */
const usual: Configuration = {
  ...defaultConfiguration,
  server: {
    ...defaultConfiguration.server,
    bindAddress: '127.0.0.1',
    healthPort: 0,
    metricsPort: 0,
  },
  admission: {
    ...defaultConfiguration.admission,
    enabled: true,
    bindAddress: '127.0.0.1',
    port: 0,
    certificates: {
      ...defaultConfiguration.admission.certificates,
      mode: 'manual',
      directory: folder,
    },
  },
};

function stage(configuration: Configuration = usual) {
  const lines: JsonObject[] = [];
  const starting = startWebhooks({
    flags: { config: 'the file', kubeconfig: undefined, context: undefined },
    configuration,
    connection: {
      server: 'https://127.0.0.1:1',
      tls: { ca: authority.cert, insecure: false },
      namespace: 'ours',
      credentials: fixedCredentials(),
    },
    log: createLog({
      level: 'info',
      format: 'json',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
      now: systemClock.now,
    }),
    version: '1.2.3',
  });
  const told = (words: string): JsonObject => lines.find(({ msg }) => msg === words) ?? {};
  return { starting, told };
}

async function review(port: number): Promise<number> {
  const dispatcher = new Agent({ connect: { ca: authority.cert } });
  try {
    const { statusCode, body } = await request(`https://localhost:${port}${path}`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: reviewOf(baseSet),
    });
    await body.dump();
    return statusCode;
  } finally {
    await dispatcher.close();
  }
}

/** Told when a meter of the event loop is turned off, which measures until then. */
const metersClosed = () => {
  const meter = monitorEventLoopDelay();
  const spy = vi.spyOn(Object.getPrototypeOf(meter) as typeof meter, 'disable');
  onTestFinished(() => spy.mockRestore());
  return spy;
};

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

describe('The webhooks in a process of their own', () => {
  it('are served, with probes and what they count, until they stop', async () => {
    const meters = metersClosed();
    const { starting, told } = stage();
    const webhooks = await starting;
    await vi.waitFor(() => expect(told('serves the admission webhooks')).not.toEqual({}), patient);
    const { version, server, health, metrics } = told('webhooks started');
    expect([version, server]).toEqual(['1.2.3', 'https://127.0.0.1:1']);
    expect(await textOf(`${String(health)}/livez?verbose`)).toBe(
      '[+]event-loop ok\n[+]clock ok\nlivez check passed\n',
    );
    expect(await textOf(`${String(health)}/readyz?verbose`)).toBe(
      '[+]admission ok\nreadyz check passed\n',
    );
    expect(JSON.parse(await textOf(`${String(health)}/actors`))).toEqual({ trees: [], total: 0 });
    const port = Number(told('serves the admission webhooks')['port']);
    expect(await review(port)).toBe(200);
    expect(await textOf(`${String(metrics)}/metrics`)).toContain(
      `controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 1`,
    );
    expect(meters).not.toHaveBeenCalled();
    await webhooks.stop();
    expect(meters).toHaveBeenCalledOnce();
    await expect(review(port)).rejects.toThrow('ECONNREFUSED');
    await expect(fetch(String(health))).rejects.toThrow('fetch failed');
  });

  it.each<[string, Configuration, string]>([
    [
      'they are not enabled',
      { ...usual, admission: { ...usual.admission, enabled: false } },
      'admission.enabled: must be true for `coppice webhook`',
    ],
    [
      'no module has some',
      { ...usual, modules: { ...usual.modules, grove: false } },
      'modules: none that is on has webhooks; turn on grove',
    ],
  ])('are not started where %s', async (_, configuration, problem) => {
    const { starting } = stage(configuration);
    await expect(starting).rejects.toThrow(`the file cannot be used:\n  ${problem}`);
  });

  it('are not served where a port of theirs cannot be had', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const meters = metersClosed();
    const { starting } = stage({ ...usual, server: { ...usual.server, healthPort: port } });
    await expect(starting).rejects.toThrow('server.healthPort');
    expect(meters).toHaveBeenCalledOnce();
  });
});
