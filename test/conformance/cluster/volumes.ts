// Checks: PersistentVolumeClaims - defaults, what is refused, and what of them may change.
import { expect } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, specOf } from './session.ts';
import type { Session, Suite } from './session.ts';

export const volumeClaim = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1024Mi' } },
    ...spec,
  },
});

async function expectRefused(s: Session, spec: JsonObject, message: string): Promise<void> {
  const answer = await s.send('POST', s.path('persistentvolumeclaims'), volumeClaim('a', spec));
  expectRefusal(answer, 422, 'Invalid', message);
}

export const volumeClaims: Suite = {
  async 'a claim is for files, waits for its volume and has no generation'(s) {
    const made = await s.create(s.path('persistentvolumeclaims'), volumeClaim('a'));
    expect(specOf(made)).toEqual({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeMode: 'Filesystem',
    });
    expect(objectAt(made, 'status')).toEqual({ phase: 'Pending' });
    expect(metaOf(made)).not.toHaveProperty('generation');
  },

  async 'a claim says how it is accessed and how large it is'(s) {
    await expectRefused(
      s,
      { accessModes: null },
      'spec.accessModes: Required value: at least 1 access mode is required',
    );
    await expectRefused(s, { resources: {} }, 'spec.resources[storage]: Required value');
    await expectRefused(
      s,
      { resources: { requests: { storage: '0' } } },
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    );
  },

  async 'access modes, the mode of the volume and its class are of their kind'(s) {
    await expectRefused(
      s,
      { accessModes: ['Any'] },
      'spec.accessModes: Unsupported value: "Any": supported values: "ReadOnlyMany", ' +
        '"ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    );
    await expectRefused(
      s,
      { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] },
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    );
    await expectRefused(
      s,
      { volumeMode: 'Tape' },
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    );
    await expectRefused(
      s,
      { storageClassName: 'Fast Disks' },
      'spec.storageClassName: Invalid value: "Fast Disks": a lowercase RFC 1123 subdomain',
    );
  },

  async 'the spec of a claim stays as it is'(s) {
    const path = s.path('persistentvolumeclaims');
    await s.create(path, volumeClaim('a'));
    // A default class may come later than the claim.
    await s.patch(`${path}/a`, 'merge', { spec: { storageClassName: 'late' } });
    for (const spec of [{ accessModes: ['ReadOnlyMany'] }, { storageClassName: 'other' }]) {
      const answer = await s.tryPatch(`${path}/a`, 'merge', { spec });
      const message = 'spec: Forbidden: spec is immutable after creation except resources.requests';
      expectRefusal(answer, 422, 'Invalid', message);
    }
    const labelled = await s.patch(`${path}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(metaOf(labelled)['labels']).toEqual({ a: 'b' });
  },

  async 'an unbound claim gets its volume, and no other size'(s) {
    const path = s.path('persistentvolumeclaims');
    await s.create(path, volumeClaim('a', { volumeName: 'given' }));
    const other = await s.tryPatch(`${path}/a`, 'merge', { spec: { volumeName: 'other' } });
    expectRefusal(other, 422, 'Invalid', 'spec: Forbidden: spec is immutable after creation');
  },
};
