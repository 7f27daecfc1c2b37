// The simulated binder of volumes on an embedded cluster with a virtual clock.
import { describe, expect, test } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { volumeClaim } from '#test/conformance/cluster/volumes.ts';
import { type World, withWorld } from './support.ts';

const claims = '/api/v1/namespaces/default/persistentvolumeclaims';

const phases = (world: World, kind: string): unknown[] =>
  world.stored(`/${kind}`).map((object) => at(object, 'status', 'phase'));

const isBound = (world: World) => (): boolean =>
  ['persistentvolumeclaims', 'persistentvolumes'].every((kind) => {
    const found = phases(world, kind);
    return found.length > 0 && found.every((phase) => phase === 'Bound');
  });

describe('A PersistentVolumeClaim', () => {
  test('is bound to a volume of its own, as large as it asked for', () =>
    withWorld({}, async (world) => {
      const made = await world.create(claims, volumeClaim('data', { storageClassName: 'fast' }));
      await world.until('the claim is bound', isBound(world));
      const name = `pvc-${String(made.metadata['uid'])}`;
      expect(await world.get(`${claims}/data`)).toMatchObject({
        spec: { volumeName: name },
        status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
      });
      expect(await world.get(`/api/v1/persistentvolumes/${name}`)).toMatchObject({
        spec: {
          capacity: { storage: '1Gi' },
          claimRef: { namespace: 'default', name: 'data', uid: made.metadata['uid'] },
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
        },
        status: { phase: 'Bound' },
      });
    }));

  test('takes its volume with it', () =>
    withWorld({}, async (world) => {
      await world.create(claims, volumeClaim('data'));
      await world.until('the claim is bound', isBound(world));
      await world.client.send({ method: 'DELETE', path: `${claims}/data` });
      await world.until(
        'the volume is gone',
        () => world.stored('/persistentvolumes').length === 0,
      );
    }));

  test('is bound also where each write fails at first', () =>
    withWorld({}, async (world) => {
      const fault = { kind: 'error', code: 500 } as const;
      const rules = [
        world.cluster.faults.add({ kind: 'PersistentVolume', verb: 'create', fault }),
        world.cluster.faults.add({ kind: 'PersistentVolume', verb: 'patch', fault }),
        world.cluster.faults.add({ kind: 'PersistentVolumeClaim', verb: 'patch', fault }),
      ];
      await world.create(claims, volumeClaim('data'));
      await world.until('the claim is bound', isBound(world));
      expect(rules.map((rule) => rule.fired())).toEqual([1, 1, 1]);
      expect(world.stored('/persistentvolumes')).toHaveLength(1);
    }));
});
