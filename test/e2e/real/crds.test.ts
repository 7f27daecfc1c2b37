// A controller in a cluster without the CRDs: it waits and says for what, and works as soon as they
// are there. Run after all others, which need them.
import { afterAll, expect, test } from 'vitest';
import { provideCrds, removeCrds } from './cluster-wide.ts';
import { manifest, twoRoles } from './sets.ts';
import { describeReal } from './stage.ts';

describeReal('A controller without the CRDs', (at) => {
  // Whatever becomes of it, other tests want them.
  afterAll(() => provideCrds(at().transport, at().given.folder));

  test('waits, says so, and works as soon as they are installed', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-crds');
    await removeCrds(stage.kube);
    const controller = await stage.controller({ isSynced: false });
    await controller.line(/is the CRD installed/);
    const [, health = ''] = await controller.line(/"health":"([^"]+)"/);
    const ready = await fetch(`${health}/readyz?verbose`);
    expect(ready.status).toBe(500);
    expect(await ready.text()).toContain('PodCliqueSet');
    expect((await fetch(`${health}/livez`)).status).toBe(200);
    await provideCrds(stage.transport, stage.given.folder);
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await controller.line(/controller synced/);
    await stage.ready(here, twoRoles);
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
  });
});
