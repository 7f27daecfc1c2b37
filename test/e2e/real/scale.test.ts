// Scaling on the real control plane, through the scale subresources that kubectl and autoscalers
// use: what stays is not touched, what goes goes whole.
import { expect, test } from 'vitest';
import { tally } from './audit.ts';
import { manifest, pairs, type SetWanted, twoRoles } from './sets.ts';
import type { Snapshot } from './snapshot.ts';
import { describeReal, type Stage } from './stage.ts';

const podUids = (seen: Snapshot): ReadonlySet<string> =>
  new Set(seen.pods.map(({ metadata }) => metadata.uid));

const isWithin = (few: ReadonlySet<string>, many: ReadonlySet<string>): boolean =>
  [...few].every((uid) => many.has(uid));

describeReal('Scaling on the real control plane', (at) => {
  let here = '';

  async function scaled(stage: Stage, to: SetWanted, how: () => Promise<void>) {
    const before = stage.audit.writes(here).length;
    await how();
    const seen = await stage.ready(here, to);
    await stage.quiet(here);
    return { uids: podUids(seen), writes: tally(stage.audit.writes(here).slice(before)) };
  }

  test('a PodCliqueSet grows by whole replicas and shrinks from the highest', async () => {
    const stage = at();
    here = await stage.namespace('e2e-scale');
    await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    const first = podUids(await stage.ready(here, twoRoles));
    const to = (replicas: number) =>
      scaled(stage, { ...twoRoles, replicas }, () =>
        stage.kube.scale(here, 'podcliquesets', 'demo', replicas),
      );
    const four = await to(4);
    expect(isWithin(first, four.uids)).toBe(true);
    expect(four.writes).toMatchObject({
      'create services 201': 2,
      'create podcliques 201': 4,
      'create podgangs 201': 2,
      'create pods 201': 10,
    });
    const one = await to(1);
    expect(isWithin(one.uids, first)).toBe(true);
    expect(one.writes['create pods 201']).toBeUndefined();
    const none = await to(0);
    expect(none.uids.size).toBe(0);
    const again = await to(2);
    expect(again.writes['create pods 201']).toBe(10);
    expect(isWithin(again.uids, first)).toBe(false);
  });

  test('a PodClique grows and shrinks by itself, and its gang lists what lives', async () => {
    const stage = at();
    const to = (pods: number) =>
      scaled(stage, { ...twoRoles, scaled: { 'demo-0-decode': pods } }, () =>
        stage.kube.scale(here, 'podcliques', 'demo-0-decode', pods),
      );
    const before = podUids(await stage.ready(here, twoRoles));
    const six = await to(6);
    expect(six.writes['create pods 201']).toBe(3);
    expect(isWithin(before, six.uids)).toBe(true);
    const four = await to(4);
    expect(isWithin(four.uids, six.uids)).toBe(true);
    expect(four.writes).toMatchObject({ 'delete pods 200': 2 });
  });

  test('a PodClique may be scaled while its set still comes up', async () => {
    const stage = at();
    const place = await stage.namespace('e2e-scale-early');
    const wanted = { ...pairs('early', 30), scaled: { 'early-0-w': 5, 'early-29-w': 4 } };
    await stage.kube.create(place, 'podcliquesets', manifest(wanted));
    for (const [name, pods] of Object.entries(wanted.scaled)) {
      await stage.sees(place, 'podcliques', name);
      await stage.kube.scale(place, 'podcliques', name, pods);
    }
    await stage.ready(place, wanted);
    await stage.quiet(place);
    expect(tally(stage.audit.writes(place))['create pods 201']).toBe(65);
  });

  test('changes of mind in a row end at the last', async () => {
    const stage = at();
    const place = 'e2e-scale-early';
    for (const replicas of [40, 3, 25, 0, 8]) {
      await stage.kube.scale(place, 'podcliquesets', 'early', replicas);
    }
    await stage.quiet(place);
    // Where replica 0 went in between, it came back as the template has it.
    const first = await stage.kube.get(place, 'podcliques', 'early-0-w');
    const pods = first?.spec?.replicas ?? 0;
    expect([2, 5]).toContain(pods);
    await stage.ready(place, { ...pairs('early', 8), scaled: { 'early-0-w': pods } });
  });
});
