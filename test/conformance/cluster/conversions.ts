// Checks: custom kinds of two versions, which a webhook converts or nobody does - what is stored,
// what is shown by each verb, scale, watches, and what a webhook may not do.
import { expect } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import { list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { metaOf, specOf, versionOf } from './session.ts';
import type { Suite } from './session.ts';
import { conversionBy, expectBroken, expectFailure, groupOf, refusing } from './things.ts';
import { thing, things, withDefinition, withWebhook } from './things.ts';
import { told, watchAt } from './watches.ts';

export const conversions: Suite = {
  async 'what is made in one version is shown in the other'(s) {
    await withWebhook(s, async () => {
      const made = await s.create(things(s, 'v2'), thing(s, 'v2', 'a', { amount: 3, note: 'n' }));
      expect([made['apiVersion'], specOf(made)]).toEqual([
        `${groupOf(s)}/v2`,
        { amount: 3, note: 'n' },
      ]);
      const stored = await s.get(things(s, 'v1', 'a'));
      expect([stored['apiVersion'], specOf(stored)]).toEqual([
        `${groupOf(s)}/v1`,
        { size: 3, note: 'n' },
      ]);
      expect(specOf(await s.get(things(s, 'v2', 'a')))).toEqual({ amount: 3, note: 'n' });
    });
  },

  async 'defaults are those of the version that is sent'(s) {
    await withWebhook(s, async () => {
      expect(specOf(await s.create(things(s, 'v2'), thing(s, 'v2', 'a')))).toEqual({ amount: 5 });
      expect(specOf(await s.get(things(s, 'v1', 'a')))).toEqual({ size: 5 });
      expect(specOf(await s.create(things(s, 'v1'), thing(s, 'v1', 'b')))).toEqual({ size: 1 });
    });
  },

  async 'what is stored in the version needs no webhook'(s) {
    const nobody = conversionBy({ url: 'https://127.0.0.1:1/convert' });
    await withDefinition(s, nobody, async () => {
      const made = await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 2 }));
      const from = versionOf(made);
      const { events, came, close } = watchAt(s, `${things(s, 'v1')}?resourceVersion=${from}`);
      await s.patch(things(s, 'v1', 'a'), 'merge', { spec: { size: 3 } });
      expect(await s.list(things(s, 'v1'))).toHaveLength(1);
      expectFailure(
        await s.send('GET', things(s, 'v2', 'a')),
        /failed: Post "https:\/\/127.0.0.1:1/,
      );
      await s.send('DELETE', things(s, 'v1', 'a'));
      await came(2);
      close();
      expect(told(events)).toEqual(['MODIFIED a', 'DELETED a']);
    });
  },

  async 'a patch and a PUT change what the version shows'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 2, note: 'n' }));
      const patched = await s.patch(things(s, 'v2', 'a'), 'merge', { spec: { amount: 4 } });
      expect(specOf(patched)).toEqual({ amount: 4, note: 'n' });
      expect(metaOf(patched)['generation']).toBe(2);
      const put = await s.done('PUT', things(s, 'v2', 'a'), { ...patched, spec: { amount: 6 } });
      expect(specOf(put)).toEqual({ amount: 6 });
      const stored = await s.get(things(s, 'v1', 'a'));
      expect([versionOf(stored), specOf(stored)]).toEqual([versionOf(put), { size: 6 }]);
    });
  },

  async 'a status is converted too'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 2 }));
      const status = { amount: 2 };
      const told = await s.patch(things(s, 'v2', 'a', 'status'), 'merge', { status });
      expect(told['status']).toEqual(status);
      expect((await s.get(things(s, 'v1', 'a')))['status']).toEqual({ size: 2 });
    });
  },

  async 'a version alone can be scaled'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 2 }));
      const path = things(s, 'v2', 'a', 'scale');
      const scale = await s.get(path);
      expect(specOf(scale)).toEqual({ replicas: 2 });
      const next = await s.done('PUT', path, { ...scale, spec: { replicas: 7 } });
      expect(specOf(next)).toEqual({ replicas: 7 });
      expect(specOf(await s.get(things(s, 'v1', 'a')))).toEqual({ size: 7 });
      const patched = await s.patch(path, 'merge', { spec: { replicas: 8 } });
      expect(specOf(patched)).toEqual({ replicas: 8 });
      expect((await s.send('GET', things(s, 'v1', 'a', 'scale'))).status).toBe(404);
    });
  },

  async 'an apply in the other version is merged there'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 2, note: 'n' }));
      const applied = thing(s, 'v2', 'a', { amount: 9 });
      const path = `${things(s, 'v2', 'a')}?fieldManager=other&force=true`;
      expect(specOf(await s.patch(path, 'apply', applied))).toEqual({ amount: 9, note: 'n' });
      expect(specOf(await s.get(things(s, 'v1', 'a')))).toEqual({ size: 9, note: 'n' });
    });
  },

  async 'a list and a watch show all in their version, in order'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a', { size: 1 }));
      await s.create(things(s, 'v2'), thing(s, 'v2', 'b', { amount: 2 }));
      const page = await s.get(things(s, 'v2'));
      const items = list(page['items']) as JsonObject[];
      expect(items.map((item) => [item['apiVersion'], specOf(item)])).toEqual([
        [`${groupOf(s)}/v2`, { amount: 1 }],
        [`${groupOf(s)}/v2`, { amount: 2 }],
      ]);
      const from = versionOf(page);
      const { events, came, close } = watchAt(s, `${things(s, 'v2')}?resourceVersion=${from}`);
      await s.patch(things(s, 'v1', 'a'), 'merge', { spec: { size: 3 } });
      await s.create(things(s, 'v1'), thing(s, 'v1', 'c', { size: 4 }));
      await s.patch(things(s, 'v2', 'b'), 'merge', { spec: { amount: 5 } });
      await s.send('DELETE', things(s, 'v1', 'c'));
      await came(4);
      close();
      expect(told(events)).toEqual(['MODIFIED a', 'ADDED c', 'MODIFIED b', 'DELETED c']);
      expect(events.map(({ object }) => specOf(object))).toEqual([
        { amount: 3 },
        { amount: 4 },
        { amount: 5 },
        { amount: 4 },
      ]);
    });
  },

  async 'of metadata a webhook changes labels and annotations alone'(s) {
    await withWebhook(s, async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a'));
      const shown = metaOf(await s.get(things(s, 'v2', 'a')));
      expect(shown).toMatchObject({ labels: { via: 'v2' } });
      expect(shown).not.toHaveProperty('finalizers');
      expect(metaOf(await s.get(things(s, 'v1', 'a')))).not.toHaveProperty('labels');
    });
  },

  async 'what the schema of the version does not know is pruned after the conversion'(s) {
    await withWebhook(
      s,
      async () => {
        await s.create(things(s, 'v1'), thing(s, 'v1', 'a'));
        expect(specOf(await s.get(things(s, 'v2', 'a')))).toEqual({ amount: 1 });
      },
      refusing((object) => ({ ...object, spec: { ...objectAt(object, 'spec'), unknown: 1 } })),
    );
  },

  async 'a webhook that says no is quoted'(s) {
    await expectBroken(
      s,
      () => ({ convertedObjects: [], result: { status: 'Failure', message: 'not today' } }),
      /failed: not today$/,
    );
  },

  async 'a webhook that gives back nothing is refused'(s) {
    await expectBroken(
      s,
      () => ({ convertedObjects: [], result: { status: 'Success' } }),
      /returned 0 objects, expected 1/,
    );
  },

  async 'another version than the wanted one is refused'(s) {
    await expectBroken(
      s,
      refusing((object) => ({ ...object, apiVersion: 'other/v2' })),
      /invalid groupVersion/,
    );
  },

  async 'another name is refused'(s) {
    await expectBroken(
      s,
      refusing((object) => ({ ...object, metadata: { ...metaOf(object), name: 'b' } })),
      /must have the same name: a != b/,
    );
  },

  async 'a write that cannot be converted is not stored'(s) {
    await withWebhook(
      s,
      async () => {
        expectFailure(await s.send('POST', things(s, 'v2'), thing(s, 'v2', 'a')), /failed: no$/);
        expect(await s.exists(things(s, 'v1', 'a'))).toBe(false);
      },
      () => ({ convertedObjects: [], result: { status: 'Failure', message: 'no' } }),
    );
  },

  async 'without a webhook a version shows what it knows of the other'(s) {
    await withDefinition(s, { strategy: 'None' }, async () => {
      const made = await s.create(things(s, 'v2'), thing(s, 'v2', 'a', { amount: 3, note: 'n' }));
      expect(specOf(made)['note']).toBe('n');
      expect(specOf(await s.get(things(s, 'v1', 'a')))).toEqual({ size: 1, note: 'n' });
      const { apiVersion } = await s.get(things(s, 'v2', 'a'));
      expect(apiVersion).toBe(`${groupOf(s)}/v2`);
    });
  },
};
