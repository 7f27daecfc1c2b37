// A PodCliqueSet comes up on the real control plane as the specification says, with as many writes
// as are needed and none afterwards, however it is touched.
import { expect, test } from 'vitest';
import { scrape } from '#test/support/exposition.ts';
import type { Program } from '#test/support/program.ts';
import { tally, withoutSecrets } from './audit.ts';
import { cliquesOf, manifest, podsOf, twoRoles } from './sets.ts';
import { describeReal } from './stage.ts';

describeReal('A PodCliqueSet on the real control plane', (at) => {
  let here = '';
  let controller: Program;

  /** Of each controller so far. */
  async function reconciles(): Promise<(name: string) => number> {
    const [, url = ''] = await controller.line(/"metrics":"([^"]+)"/);
    const metrics = await scrape(url);
    return (name) => metrics.sum('controller_runtime_reconcile_total', { controller: name });
  }

  test('comes up with every object as specified, by one create for each', async () => {
    const stage = at();
    here = await stage.namespace('e2e-deploy');
    controller = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage.ready(here, twoRoles);
    await stage.quiet(here);
    const writes = tally(stage.audit.writes(here));
    const cliques = cliquesOf(twoRoles).length;
    expect(writes).toEqual({
      'create serviceaccounts 201': 1,
      'create roles 201': 1,
      'create rolebindings 201': 1,
      'create secrets 201': 1,
      'create services 201': twoRoles.replicas,
      'create podcliques 201': cliques,
      'create podgangs 201': twoRoles.replicas,
      'create pods 201': podsOf(twoRoles),
      // The finalizer, and the mark of the token Secret.
      'patch podcliquesets 200': 2,
      'update podgangs/status 200': expect.any(Number),
      'update podcliques/status 200': expect.any(Number),
      'update podcliquesets/status 200': expect.any(Number),
    });
    // Initialized, and Running: at once where the pods run by then.
    expect(writes['update podgangs/status 200']).toBeGreaterThanOrEqual(twoRoles.replicas);
    expect(writes['update podgangs/status 200']).toBeLessThanOrEqual(2 * twoRoles.replicas);
    expect(writes['update podcliques/status 200']).toBeLessThanOrEqual(4 * cliques);
    expect(writes['update podcliquesets/status 200']).toBeLessThanOrEqual(4);
  });

  test('is written to by nobody while nothing happens', async () => {
    const stage = at();
    const before = stage.audit.writes(here).length;
    await stage.idle(5000);
    expect(stage.audit.writes(here).slice(before)).toEqual([]);
  });

  test('plans as a whole when somebody touches it, and asks for its token Secret alone', async () => {
    const stage = at();
    const before = stage.audit.writes(here).length;
    const planned = await reconciles();
    const touch = { metadata: { annotations: { 'grove.io/reconcile-trigger': 'now' } } };
    await stage.kube.patch(here, 'podcliquesets', twoRoles.name, touch);
    await stage.idle(1500);
    const writes = tally(stage.audit.writes(here).slice(before));
    expect(Object.keys(writes)).toEqual(['create secrets 409']);
    expect(writes['create secrets 409']).toBeLessThanOrEqual(3);
    await stage.ready(here, twoRoles);
    const since = await reconciles();
    const least = { 'podclique-controller': cliquesOf(twoRoles).length, podgang: 2 };
    for (const [name, actors] of Object.entries(least)) {
      const count = since(name) - planned(name);
      expect([name, count >= actors]).toEqual([name, true]);
    }
  });

  test('has its statuses as they were when somebody has damaged and touched it', async () => {
    const stage = at();
    const resources = ['podcliquesets', 'podcliques', 'podgangs'] as const;
    const before = stage.audit.writes(here).length;
    for (const resource of resources) {
      for (const { metadata } of await stage.kube.list(here, resource)) {
        const status = { conditions: [], lastErrors: null };
        await stage.kube.patch(here, resource, `${metadata.name}/status`, { status });
      }
    }
    const touch = { metadata: { annotations: { 'grove.io/reconcile-trigger': 'again' } } };
    await stage.kube.patch(here, 'podcliquesets', twoRoles.name, touch);
    await stage.ready(here, twoRoles);
    await stage.quiet(here);
    const writes = Object.keys(tally(withoutSecrets(stage.audit.writes(here).slice(before))));
    expect(writes.toSorted()).toEqual(
      resources.map((resource) => `update ${resource}/status 200`).toSorted(),
    );
  });

  test('hands a new label of its own on to its gangs, and writes nothing else', async () => {
    const stage = at();
    const before = stage.audit.writes(here).length;
    const label = { metadata: { labels: { team: 'blue' } } };
    await stage.kube.patch(here, 'podcliquesets', twoRoles.name, label);
    await stage.idle(1500);
    // The touch before has the token Secret asked for some more times.
    const writes = withoutSecrets(stage.audit.writes(here).slice(before));
    expect(tally(writes)).toEqual({ 'patch podgangs 200': twoRoles.replicas });
    const { podgangs } = await stage.ready(here, twoRoles);
    expect(podgangs.map(({ metadata }) => metadata.labels?.['team'])).toEqual(['blue', 'blue']);
  });

  test('gets back what somebody deletes, and only that', async () => {
    const stage = at();
    const before = stage.audit.writes(here).length;
    await stage.kube.delete(here, 'services', 'demo-1');
    await stage.kube.delete(here, 'roles', 'grove.io:pcs:demo');
    await stage.kube.delete(here, 'podgangs', 'demo-0');
    await stage.ready(here, twoRoles);
    await stage.quiet(here);
    expect(tally(withoutSecrets(stage.audit.writes(here).slice(before)))).toEqual({
      'create services 201': 1,
      'create roles 201': 1,
      'create podgangs 201': 1,
      'update podgangs/status 200': 1,
    });
  });

  test('replaces a pod that somebody deletes', async () => {
    const stage = at();
    const pods = await stage.kube.list(here, 'pods');
    const [victim] = pods;
    if (victim === undefined) throw new Error('there is no pod');
    const before = stage.audit.writes(here).length;
    await stage.kube.delete(here, 'pods', victim.metadata.name);
    await stage.quiet(here);
    const after = await stage.ready(here, twoRoles);
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const fresh = after.pods.filter(({ metadata }) => !uids.has(metadata.uid));
    expect(fresh).toHaveLength(1);
    expect(tally(stage.audit.writes(here).slice(before))['create pods 201']).toBe(1);
  });
});
