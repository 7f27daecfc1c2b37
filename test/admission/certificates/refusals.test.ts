// Certificates in a Secret where the API server refuses a step: which requests follow, and what is
// said.
import { describe, expect, it } from 'vitest';
import { secretCertificates } from '#src/admission/certificates/keeper.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { secretPath } from './stage.ts';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'webhook-cert' } };

/** The statuses are answered in turn; the last one from then on. */
async function asked(...statuses: readonly number[]) {
  const requests: string[] = [];
  const source = secretCertificates({
    transport: {
      watch: () => () => {},
      request: ({ method, path }): Promise<KubeResponse> => {
        const status = statuses[Math.min(requests.length, statuses.length - 1)] ?? 0;
        requests.push(path === secretPath ? method : `${method} ${path}`);
        const body = status < 300 ? secret : { message: `it is ${status}` };
        return Promise.resolve({ status, headers: {}, body });
      },
    },
    clock: new VirtualClock(),
    log: () => {},
    ...{ namespace: 'default', secretName: 'webhook-cert', usedBy: 'webhooks', webhooks: [] },
    ...{ names: ['a.default.svc'], addresses: [] },
    ...{ overlapMs: 1_000, authorityDays: 60, certificateDays: 9 },
  });
  const said = await source.current().then(
    () => 'done',
    (error: unknown) => String(error),
  );
  return { requests, said };
}

const create = 'POST /api/v1/namespaces/default/secrets';

describe('Certificates in a Secret', () => {
  it.each<[readonly number[], readonly string[]]>([
    [[500], ['GET']],
    [[403], ['GET']],
    [
      [404, 500],
      ['GET', create],
    ],
    [
      [404, 409, 500],
      ['GET', create, 'GET'],
    ],
    [
      [200, 500],
      ['GET', 'PUT'],
    ],
    [
      [200, 403],
      ['GET', 'PUT'],
    ],
    [
      [200, 409, 500],
      ['GET', 'PUT', 'GET'],
    ],
    [
      [200, 404, 500],
      ['GET', 'PUT', 'GET'],
    ],
    [
      [404, 201, 500],
      ['GET', create, 'PUT'],
    ],
  ])('are not to be had where the answers are %j, which is said', async (statuses, expected) => {
    const { requests, said } = await asked(...statuses);
    const last = statuses.at(-1);
    expect(requests).toEqual(expected);
    expect(said).toBe(`Error: ${secretPath}: it is ${last} (${last})`);
  });

  it('are given up where others change them again and again', async () => {
    const statuses = Array.from({ length: 20 }, () => [200, 409]).flat();
    const { requests, said } = await asked(...statuses);
    expect(requests).toHaveLength(statuses.length);
    expect(said).toBe('Error: the certificates did not settle within 20 steps');
  });
});
