// Checks: ResourceClaims and the templates of them - what is filled in, what may never change, what
// may - and pods that name claims. Shared claims of PodCliqueSets are such objects.
import { expect } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, pod, specOf, uidOf } from './session.ts';
import type { Session, Suite } from './session.ts';

const request = { name: 'device', exactly: { deviceClassName: 'x.example.com' } };

const claim = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, ...metadata },
  spec: { devices: { requests: [request] } },
});

const template = (name: string): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaimTemplate',
  metadata: { name },
  spec: { spec: { devices: { requests: [request] } } },
});

const claims = (s: Session, ...more: string[]): string => s.path('resourceclaims', ...more);

const container = (name: string, claimNames: readonly string[]): JsonObject => ({
  name,
  image: 'registry.k8s.io/pause:3.10',
  resources: { claims: claimNames.map((each) => ({ name: each })) },
});

export const resourceClaims: Suite = {
  async 'the kind and number of devices are filled in'(s) {
    const made = await s.create(claims(s), claim('a'));
    expect(specOf(made)).toEqual({
      devices: {
        requests: [
          {
            name: 'device',
            exactly: { deviceClassName: 'x.example.com', allocationMode: 'ExactCount', count: 1 },
          },
        ],
      },
    });
    expect(made['status'] ?? {}).toEqual({});
    expect(metaOf(made)['generation']).toBeUndefined();
  },

  async 'the spec of a claim cannot be changed'(s) {
    await s.create(claims(s), claim('a'));
    const requests = [{ ...request, name: 'other' }];
    const answer = await s.tryPatch(claims(s, 'a'), 'merge', { spec: { devices: { requests } } });
    expectRefusal(answer, 422, 'Invalid', 'field is immutable');
  },

  async 'labels and owners of a claim can be changed'(s) {
    const owner = await s.configMap('owner');
    await s.create(claims(s), claim('a'));
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: uidOf(owner), controller: true },
    ];
    const patch = { metadata: { labels: { k: 'v' }, ownerReferences } };
    const changed = await s.patch(claims(s, 'a'), 'merge', patch);
    expect(metaOf(changed)).toMatchObject({ labels: { k: 'v' }, ownerReferences });
  },

  async 'a claim goes with its owner'(s) {
    const owner = await s.configMap('owner');
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: uidOf(owner) },
    ];
    await s.create(claims(s), claim('a', { ownerReferences }));
    await s.done('DELETE', s.path('configmaps', 'owner'));
    await s.eventuallyGone(claims(s, 'a'));
  },

  async 'the status of a claim is kept from its creation'(s) {
    const made = await s.create(claims(s), { ...claim('a'), status: { reservedFor: [] } });
    expect(made['status'] ?? {}).toEqual({});
  },

  async 'a request without a device class is invalid'(s) {
    const spec = { devices: { requests: [{ name: 'device', exactly: {} }] } };
    const answer = await s.send('POST', claims(s), { ...claim('a'), spec });
    expectRefusal(answer, 422, 'Invalid', 'spec.devices.requests[0].exactly.deviceClassName');
  },

  async 'the spec of a template cannot be changed'(s) {
    const path = s.path('resourceclaimtemplates');
    await s.create(path, template('a'));
    const requests = [{ ...request, name: 'other' }];
    const spec = { spec: { devices: { requests } } };
    const answer = await s.tryPatch(`${path}/a`, 'merge', { spec });
    expectRefusal(answer, 422, 'Invalid', 'field is immutable');
  },

  async 'a pod names claims, and its containers name those of the pod'(s) {
    const resourceClaims = [{ name: 'x', resourceClaimName: 'a' }];
    const made = await s.pod('a', { resourceClaims, containers: [container('main', ['x'])] });
    expect(specOf(made)).toMatchObject({ resourceClaims });
  },

  async 'a pod that names a claim twice is invalid'(s) {
    const resourceClaims = [
      { name: 'x', resourceClaimName: 'a' },
      { name: 'x', resourceClaimName: 'b' },
    ];
    const body = pod('a', { resourceClaims, containers: [container('main', [])] });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 422, 'Invalid', 'spec.resourceClaims[1].name: Duplicate value: "x"');
  },

  async 'a container that names a claim which the pod has not is invalid'(s) {
    const body = pod('a', { containers: [container('main', ['x'])] });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 422, 'Invalid', /resources\.claims\[0\].*(Not found|must be)/);
  },

  async 'a name of a claim that is no label is invalid in a pod'(s) {
    const resourceClaims = [{ name: 'x.y', resourceClaimName: 'a' }];
    const body = pod('a', { resourceClaims, containers: [container('main', [])] });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 422, 'Invalid', 'spec.resourceClaims[0].name: Invalid value: "x.y"');
  },
};
