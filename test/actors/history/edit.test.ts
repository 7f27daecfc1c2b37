// Who edited what, as the fact about it says: which fields, never what is in them, within bounds,
// and only of edits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editIn } from '#actors/history/edit.ts';
import { defaultLimits } from '#actors/limits.ts';
import type { Editor, Editors } from '#machines/kubernetes/editors.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { stage } from '../fixtures/stage.ts';

const by = (manager: string, subresource = ''): Editor => ({
  manager,
  operation: 'Update',
  at: '2026-11-22T10:00:02Z',
  subresource,
});

const editors: Editors = {
  newest: by('coppice', 'status'),
  besidesStatus: by('labeller'),
  ofSpec: by('kubectl-edit'),
};

const objectOf = (spec: unknown, metadata: object = {}): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo', namespace: 'default', ...metadata },
  spec,
});

const edit = (before: KubeObject | undefined, object: KubeObject) =>
  editIn({ type: 'seen', kind: 'PodCliqueSet', object, editors }, before, defaultLimits);

const paths = (before: unknown, after: unknown): unknown =>
  edit(objectOf(before), objectOf(after))?.['paths'];

describe('An edit', () => {
  it('names the deepest fields that changed', () => {
    const template = (replicas: number, image: string) => ({
      cliques: [
        { name: 'a', spec: { replicas } },
        { name: 'b', image },
      ],
    });
    const before = { replicas: 1, template: template(1, 'x'), old: {} };
    const after = { replicas: 2, template: template(2, 'x'), fresh: { a: 1 } };
    expect(paths(before, after)).toEqual([
      'spec.replicas',
      'spec.template.cliques[0].spec.replicas',
      'spec.old',
      'spec.fresh',
    ]);
  });

  it('names a whole list that grew or shrank', () => {
    expect(paths({ cliques: [1, 2] }, { cliques: [1] })).toEqual(['spec.cliques']);
  });

  it('writes keys of labels and annotations as kubectl does', () => {
    const before = objectOf({}, { labels: { team: 'a', keep: 'x' } });
    const after = objectOf(
      {},
      { labels: { team: 'b', keep: 'x' }, annotations: { 'grove.io/x': 'y' } },
    );
    expect(edit(before, after)).toMatchObject({
      manager: 'labeller',
      paths: ['metadata.labels.team', "metadata.annotations['grove.io/x']"],
    });
  });

  it('is by whom wrote what has changed', () => {
    const [one, two] = [objectOf({ replicas: 1 }), objectOf({ replicas: 2 })];
    expect(edit(one, two)).toEqual({
      manager: 'kubectl-edit',
      operation: 'Update',
      at: Date.UTC(2026, 10, 22, 10, 0, 2),
      paths: ['spec.replicas'],
    });
    expect(edit(one, one)).toMatchObject({ manager: 'coppice', subresource: 'status', paths: [] });
  });

  it('of a new object names who made it, and no field', () => {
    expect(edit(undefined, objectOf({ replicas: 1 }))).toMatchObject({ paths: [] });
  });

  it('is none where the object is being deleted: nobody is told who did that', () => {
    const going = { deletionTimestamp: '2026-11-22T10:00:00Z' };
    expect(edit(objectOf({}), objectOf({}, going))).toBeUndefined();
    expect(edit(objectOf({ a: 1 }), objectOf({ a: 2 }, going))).toMatchObject({
      paths: ['spec.a'],
    });
  });

  it('is bounded in number and length', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, at]));
    const cut = edit(objectOf({}), objectOf({ ...wide, ['k'.repeat(5_000)]: 1 }));
    expect(cut).toMatchObject({ more: true });
    expect(cut?.['paths']).toHaveLength(defaultLimits.editPaths);
    const long = paths({}, { ['k'.repeat(5_000)]: 1 });
    expect(long).toEqual([expect.stringMatching(/^spec\.k{194}…$/)]);
    const all = edit(objectOf({}), objectOf(Object.fromEntries(Object.entries(wide).slice(0, 16))));
    expect(all).not.toHaveProperty('more');
  });

  it('shows no value, whatever the objects are', () => {
    const secret = fc.string({ minLength: 1, maxLength: 5 }).map((text) => `geheim-${text}`);
    const anySpec = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        secret,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'env', 'x/y', '__proto__'), tie('value')),
      ),
    })).value;
    const anyLabels = fc.dictionary(fc.constantFrom('l', 'm/n'), secret);
    fc.assert(
      fc.property(anySpec, anySpec, anyLabels, anyLabels, (a, b, labels, annotations) => {
        const told = edit(objectOf(a, { labels }), objectOf(b, { annotations }));
        expect(JSON.stringify(told)).not.toContain('geheim');
      }),
    );
  });
});

describe('The fact of a change from outside', () => {
  const settled = async (signed: boolean) => {
    const world = stage({
      bus: 'none',
      watch: (seen, deliver) =>
        deliver(seen.type === 'seen' && signed ? { ...seen, editors } : seen),
    });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    const before = world.system.history.newest;
    const since = (): JsonObject[] =>
      world.system.history
        .after(before, 1_000)
        .filter(({ what }) => what === 'observed')
        .map(({ data }) => data);
    return { world, since };
  };

  it('that begins a trace says who edited what', async () => {
    const { world, since } = await settled(true);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    expect(since()).toEqual([
      expect.objectContaining({
        kind: 'PodCliqueSet',
        edit: expect.objectContaining({ manager: 'kubectl-edit', paths: ['spec.replicas'] }),
      }),
    ]);
  });

  it('says nothing of it where that is not known', async () => {
    const { world, since } = await settled(false);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    expect(since()).toEqual([expect.not.objectContaining({ edit: expect.anything() })]);
  });

  it('about a pod that the trace of its owner has made names no editor', async () => {
    const { world, since } = await settled(true);
    world.readyPods();
    await world.reconciled();
    const ofPod = since().find(({ kind }) => kind === 'Pod');
    expect(ofPod).toBeDefined();
    expect(ofPod).not.toHaveProperty('edit');
  });
});
