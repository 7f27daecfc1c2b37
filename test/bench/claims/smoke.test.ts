// The claims benchmark small, on the embedded cluster over HTTPS, with the floor in the place of
// the product: load and floor are processes of their own as in a real run, claims come and are
// served, counted and judged, and the ratio to the floor is 1 by construction.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apply } from '#src/dev/apply.ts';
import { readCrds } from '#src/dev/crds.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import type { AuditedRequest } from '#test/e2e/real/audit.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import type { Phase } from '../harness.ts';
import { type Result, summarize } from '../statistics.ts';
import { namespace, openNamespace } from '../workload.ts';
import type { ClaimsCase } from './cases.ts';
import { judgeClaims } from './judge.ts';
import { measureClaims } from './measure.ts';
import type { ClaimSite, ServerName } from './players.ts';

let cluster: Cluster;
let client: HttpTransport;
let site: ClaimSite;
let folder: string;
let audited: AuditedRequest[];

const small: ClaimsCase = { name: 'own', pool: 20, count: 10, rate: 100, bursts: 1 };

async function measured(
  what: ClaimsCase,
  server: ServerName = 'floor',
  busyUs = 0,
): Promise<{ result: Result; phases: readonly Phase[] }> {
  let phases: () => readonly Phase[] = () => [];
  const options = { server, inFlight: 64, busyUs, quietSeconds: 0.1, patienceSeconds: 30 };
  const result = await measureClaims(site, what, options, (recorder) => {
    phases = () => recorder.phases;
  });
  return { result, phases: phases() };
}

/** As if it had been its own floor. */
const asOwnFloor = (result: Result): Result => ({
  ...result,
  ...Object.fromEntries(Object.entries(result).map(([key, value]) => [`floor_${key}`, value])),
});

describe('Claims that the floor serves', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-claims-'));
    cluster = createCluster({ clock: systemClock, random: seeded(1), nodes: 3, dataDir: folder });
    await cluster.start();
    audited = [];
    cluster.requests.onRequest(({ userAgent, at, resource, subresource, ...request }) => {
      audited.push({
        ...request,
        agent: userAgent.split('/')[0] ?? '',
        atMs: at,
        resource: subresource === '' ? resource : `${resource}/${subresource}`,
        message: '',
      });
    });
    const { kubeconfigPath: kubeconfig = '' } = await cluster.listen();
    const connection = await loadConnection({ file: kubeconfig }, systemClock);
    client = httpTransport(connection, { userAgent: 'coppice-bench' });
    const crds = readCrds((module) => module === 'agentsandbox');
    for (const manifest of crds) await apply(client, manifest);
    await openNamespace(client, namespace);
    site = {
      kubeconfig,
      client,
      audited: () => audited,
      processes: () => new Map([['cluster', process.pid]]),
      requests: () => Promise.resolve({}),
      startController: () => Promise.reject(new Error('there is none')),
    };
  });

  afterEach(async () => {
    await client.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  test('are Ready by three writes each, none of them refused, and none starts cold', async () => {
    const { result, phases } = await measured(small);
    expect(result).toMatchObject({
      cold_starts: 0,
      double_bindings: 0,
      rebound: 0,
      conflicts: 0,
      audited_conflicts: 0,
      writes_per_claim: 3,
      path_writes_per_claim: 3,
      behind_writes_per_claim: 0,
      path_requests: {
        'patch sandboxclaims 200': 10,
        'patch sandboxes 200': 10,
        'patch sandboxclaims/status 200': 10,
      },
      other_requests: { 'coppice-bench-load create sandboxclaims 201': 10 },
    });
    expect(phases.map(({ phase }) => phase)).toEqual(['fill', 'grow', 'burst', 'refill']);
    expect(Object.keys(phases[2]?.usages ?? {})).toEqual(['cluster', 'floor', 'load']);
    const verdicts = judgeClaims(summarize([asOwnFloor(result)]), { isObserved: true }, result);
    expect(verdicts.filter(({ verdict }) => verdict === 'missed')).toEqual([]);
    expect(verdicts.filter(({ verdict }) => verdict === 'met')).toHaveLength(8);
  });

  test('come in several bursts, on a pool that is full again, and by lists as well', async () => {
    const { result } = await measured({ ...small, bursts: 2, rate: 0 }, 'list');
    expect(result).toMatchObject({
      bursts: 2,
      conflicts: 0,
      double_bindings: 0,
      path_writes_per_claim: 3,
      p99_verdict: 'too few cycles',
    });
    expect(
      audited.filter(
        ({ agent, verb, resource }) =>
          agent === 'coppice-bench-floor' && verb === 'list' && resource === 'sandboxes',
      ),
    ).toHaveLength(20);
  });

  test('cost the floor as much CPU more as it is told to spend', async () => {
    const { result } = await measured({ ...small, rate: 0 }, 'floor', 60_000);
    expect(result).toMatchObject({ conflicts: 0, path_writes_per_claim: 3 });
    expect(result['floor_ms_per_claim']).toBeGreaterThan(55);
  });

  test('need not come at all: a pool is filled by three writes a member', async () => {
    const { result } = await measured({ ...small, count: 0 });
    expect(result['fill_s']).toBeGreaterThan(0);
    const written = audited.filter(
      ({ agent, verb }) => agent === 'coppice-bench-floor' && /create|patch/.test(verb),
    );
    // And the status of the pool.
    expect(written).toHaveLength(61);
  });
});
