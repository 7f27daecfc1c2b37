// Deleting a PodCliqueSet on the real control plane with each propagation: what the user asked is
// what happens, and nothing is left that should not be.
import { expect, test } from 'vitest';
import type { Program } from '#test/support/program.ts';
import { manifest, twoRoles } from './sets.ts';
import { left, snapshot } from './snapshot.ts';
import { describeReal } from './stage.ts';

describeReal('Deleting a PodCliqueSet on the real control plane', (at) => {
  let controller: Program;

  test('in the background takes everything with it', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-delete-background');
    controller = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage.ready(here, twoRoles);
    await stage.kube.delete(here, 'podcliquesets', 'demo', 'Background');
    await stage.empty(here);
  });

  test('in the foreground takes the set last', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-delete-foreground');
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage.ready(here, twoRoles);
    const gone = stage.order(here, ['podcliquesets', 'podcliques', 'pods']);
    await stage.kube.delete(here, 'podcliquesets', 'demo', 'Foreground');
    await stage.empty(here);
    expect((await gone.end()).at(-1)).toBe('podcliquesets demo');
    // The garbage collector takes its finalizer off the same PodCliques: one of two comes second,
    // and does it again.
    const conflicts = stage.audit.writes(here).filter(({ code }) => code === 409);
    expect(conflicts.filter(({ verb }) => verb !== 'patch')).toEqual([]);
  });

  test('as an orphan leaves its PodCliques and their pods running, untouched', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-delete-orphan');
    const set = await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    const before = await stage.ready(here, twoRoles);
    await stage.kube.delete(here, 'podcliquesets', 'demo', 'Orphan');
    await stage.gone(here, 'podcliquesets', set);
    await stage.quiet(here);
    const after = await snapshot(stage.kube, here);
    const { podcliquesets: _, ...rest } = left(before);
    expect(left(after)).toEqual(rest);
    const uids = (objects: typeof before.pods) => objects.map(({ metadata }) => metadata.uid);
    expect(uids(after.pods)).toEqual(uids(before.pods));
    expect(after.podcliques.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  });

  test('while no controller runs is finished by the next', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-delete-unattended');
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage.ready(here, twoRoles);
    await controller.kill();
    await stage.kube.delete(here, 'podcliquesets', 'demo');
    controller = await stage.controller();
    await stage.empty(here);
  });

  test('and creating it again at once, thrice, ends with a whole new one (10.3 scenario 16)', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-delete-again');
    const uids = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const set = await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
      const seen = await stage.ready(here, twoRoles);
      seen.pods.forEach(({ metadata }) => uids.add(metadata.uid));
      await stage.kube.delete(here, 'podcliquesets', 'demo');
      await stage.gone(here, 'podcliquesets', set);
    }
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    const last = await stage.ready(here, twoRoles);
    expect(last.pods.some(({ metadata }) => uids.has(metadata.uid))).toBe(false);
  });
});
