// The autoscaler of an activator over the embedded cluster: it writes the scale of what runs pods,
// once for a change, and copes with others who do.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { at, object } from '#machines/kubernetes/json.ts';
import { type ScaledRevision, startAutoscaler } from '#src/activator/scaling/autoscaler.ts';
import { Ledger } from '#src/activator/scaling/ledger.ts';
import type { ScaleTarget } from '#src/activator/scaling/scale.ts';
import { installCrds } from '#src/dev/crds.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const namespace = 'default';
const revision = `${namespace}/web`;
const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;

const deployment = (replicas: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    },
  },
});

const settings: ScaledRevision['settings'] = {
  target: 10,
  least: 0,
  most: 0,
  windowMs: 6_000,
  panicThreshold: 0,
  maxRise: 1_000,
  graceMs: 3_000,
};

async function world(kind: ScaleTarget['kind'] = 'Deployment', path = `${apps}/web`) {
  const clock = new VirtualClock();
  const cluster = createCluster({ clock, random: seeded(1), controllers: false });
  await cluster.start();
  onTestFinished(() => cluster.stop());
  const transport = cluster.transport();
  const lines: string[] = [];
  let ledger: Ledger | undefined;
  let ready: number | undefined = 1;
  const scaler = startAutoscaler({
    clock,
    transport: cluster.transport(undefined, 'activator'),
    log: (level, message) => void lines.push(`${level} ${message}`),
    revisions: [{ revision, target: { kind, namespace, name: 'web' }, settings, panicSeconds: 0 }],
    active: (of) => ledger?.active(of) ?? 0,
    ready: () => ready,
  });
  onTestFinished(() => scaler.stop());
  const demand = new Ledger({ clock, report: (batch) => scaler.report(batch) });
  ledger = demand;
  const send = async (method: 'POST' | 'PUT' | 'GET', where: string, body?: JsonObject) => {
    const request = { method, path: where, ...(body === undefined ? {} : { body }) };
    const response = await transport.request(request);
    if (response.status >= 300) throw new Error(JSON.stringify(response.body));
    return response.body;
  };
  let writes = 0;
  return {
    clock,
    cluster,
    lines,
    demand,
    send,
    replicas: async () => at(await send('GET', path), 'spec', 'replicas'),
    /** So many pods take requests, from now on; undefined: nobody says. */
    ready: (count: number | undefined) => void (ready = count),
    begin: (count: number) => {
      for (let each = 0; each < count; each++) demand.begun(revision);
    },
    end: (count: number) => {
      for (let each = 0; each < count; each++) demand.ended(revision);
    },
    /** Times that it was scaled since the last call. */
    scaled: () => {
      const all = lines.filter((line) => line === 'info scaled').length;
      const since = all - writes;
      writes = all;
      return since;
    },
  };
}

describe('The autoscaler of an activator', () => {
  it('starts a pod for the first request at once, by one write', async () => {
    const stage = await world();
    await stage.send('POST', apps, deployment(0));
    stage.begin(1);
    await stage.clock.advance(50);
    expect(await stage.replicas()).toBe(1);
    await stage.clock.advance(5_000);
    expect([await stage.replicas(), stage.scaled()]).toEqual([1, 1]);
  });

  it('follows the average of its window, and ends all pods after the grace', async () => {
    const stage = await world();
    await stage.send('POST', apps, deployment(0));
    stage.begin(35);
    await stage.clock.advance(2_000);
    expect(await stage.replicas()).toBe(4);
    stage.end(35);
    await stage.clock.advance(5_000);
    expect(await stage.replicas()).toBeGreaterThan(0);
    await stage.clock.advance(10_000);
    expect(await stage.replicas()).toBe(0);
    // The next start is as quick as the first one was.
    stage.begin(35);
    await stage.clock.advance(2_000);
    expect(await stage.replicas()).toBe(4);
  });

  it('leaves what comes up alone until it is ready and idle', async () => {
    const stage = await world();
    stage.ready(0);
    await stage.send('POST', apps, deployment(1));
    await stage.clock.advance(120_000);
    expect(await stage.replicas()).toBe(1);
    stage.ready(1);
    await stage.clock.advance(2_000);
    expect(await stage.replicas()).toBe(1);
    await stage.clock.advance(10_000);
    expect(await stage.replicas()).toBe(0);
  });

  it('believes what is observed where nobody says how many take requests', async () => {
    const stage = await world();
    stage.ready(undefined);
    await stage.send('POST', apps, deployment(1));
    await stage.clock.advance(20_000);
    expect(await stage.replicas()).toBe(1);
    const body = await stage.send('GET', `${apps}/web`);
    await stage.send('PUT', `${apps}/web/status`, { ...object(body), status: { replicas: 1 } });
    await stage.clock.advance(30_000);
    expect(await stage.replicas()).toBe(0);
  });

  it('ends what has not come up after ten minutes, as Knative does', async () => {
    const stage = await world();
    stage.ready(0);
    await stage.send('POST', apps, deployment(1));
    await stage.clock.advance(590_000);
    expect(await stage.replicas()).toBe(1);
    await stage.clock.advance(20_000);
    expect(await stage.replicas()).toBe(0);
  });

  it('writes nothing while nothing changes, and reads seldom', async () => {
    const stage = await world();
    await stage.send('POST', apps, deployment(0));
    await stage.clock.advance(60_000);
    expect(stage.scaled()).toBe(0);
    expect(stage.lines).toEqual([]);
  });

  it('overwrites nobody: what others have changed meanwhile is read again', async () => {
    const stage = await world();
    await stage.send('POST', apps, deployment(0));
    const conflict = { kind: 'error', code: 409, reason: 'Conflict' } as const;
    stage.cluster.faults.add({
      verb: 'update',
      kind: 'deployments.apps',
      times: 2,
      fault: conflict,
    });
    stage.begin(1);
    await stage.clock.advance(200);
    expect([await stage.replicas(), stage.scaled()]).toEqual([1, 1]);
  });

  it('tells once that it cannot scale, and goes on when it can', async () => {
    const stage = await world();
    stage.begin(1);
    await stage.clock.advance(10_000);
    expect(stage.lines).toEqual(['warn cannot be scaled']);
    await stage.send('POST', apps, deployment(0));
    await stage.clock.advance(2_000);
    expect(await stage.replicas()).toBe(1);
    expect(stage.lines).toContain('info can be scaled again');
  });

  it('goes on after the API server was away', async () => {
    const stage = await world();
    await stage.send('POST', apps, deployment(0));
    stage.cluster.faults.add({ times: 10_000, fault: { kind: 'dropRequest' } });
    stage.begin(1);
    await stage.clock.advance(20_000);
    stage.cluster.faults.clear();
    await stage.clock.advance(2_000);
    expect(await stage.replicas()).toBe(1);
  });
});

describe.each<[ScaleTarget['kind'], string, JsonObject]>([
  [
    'PodClique',
    'podcliques',
    { roleName: 'web', minAvailable: 1, podSpec: { containers: [{ name: 'web', image: 'web' }] } },
  ],
  ['PodCliqueScalingGroup', 'podcliquescalinggroups', { minAvailable: 1, cliqueNames: ['web'] }],
])('A %s', (kind, plural, spec) => {
  it('is scaled by its scale too', async () => {
    const path = `/apis/grove.io/v1alpha1/namespaces/${namespace}/${plural}`;
    const stage = await world(kind, `${path}/web`);
    await installCrds(stage.cluster.transport());
    const metadata = { name: 'web', namespace };
    const object = {
      apiVersion: 'grove.io/v1alpha1',
      kind,
      metadata,
      spec: { ...spec, replicas: 1 },
    };
    await stage.send('POST', path, object);
    stage.begin(35);
    await stage.clock.advance(3_000);
    expect(await stage.replicas()).toBe(4);
  });
});
