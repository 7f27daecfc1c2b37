// Who is enrolled in a ComputeDomain: the layers of the annotation, and what counts as a GPU.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  errorOfGroup,
  groupIn,
  usesGpus,
  withChannel,
} from '#machines/grove/objects/computedomain.ts';
import { at } from '#machines/kubernetes/json.ts';
import { checkLabel } from '#machines/kubernetes/names.ts';
import { gpuContainer, groupKey } from '#test/support/domains.ts';

const layer = (group: string | undefined) => (group === undefined ? {} : { [groupKey]: group });

describe('the group of a clique', () => {
  it('is that of the first layer that names one; `none` there stops the walk', () => {
    const value = fc.option(fc.constantFrom('none', 'a', 'b'), { nil: undefined });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (values) => {
        const first = values.find((one) => one !== undefined);
        expect(groupIn(values.map(layer))).toBe(first === 'none' ? undefined : first);
      }),
    );
    expect(groupIn([undefined, layer('a')])).toBe('a');
  });

  it('must be `none` or a DNS-1123 label, as admission has it', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 70 }),
      fc.stringMatching(/^[a-z0-9-]{0,66}$/),
      fc.constantFrom('none', '', 'a', 'A', 'a.b', '-a', 'a-', 'a'.repeat(63), 'a'.repeat(64)),
    );
    fc.assert(
      fc.property(text, (group) => {
        expect(errorOfGroup(layer(group)) === undefined).toBe(checkLabel(group).length === 0);
      }),
    );
    expect(errorOfGroup({})).toBeUndefined();
  });
});

describe('GPUs', () => {
  it.each([
    [4, true],
    ['4', true],
    ['1k', true],
    [0, false],
    ['0', false],
    ['0m', false],
    ['-0', false],
    ['much', false],
    [null, false],
  ])('of the amount %j count: %s', (amount, isAsked) => {
    for (const field of ['limits', 'requests']) {
      const container = { name: 'main', resources: { [field]: { 'nvidia.com/gpu': amount } } };
      expect(usesGpus({ containers: [{ name: 'other' }, container] })).toBe(isAsked);
      expect(usesGpus({ containers: [{ name: 'other' }], initContainers: [container] })).toBe(
        isAsked,
      );
    }
  });

  it('that come by a claim, or under another name, do not show', () => {
    const other = {
      name: 'main',
      resources: { limits: { 'amd.com/gpu': 1 }, claims: [{ name: 'gpu' }] },
    };
    expect(usesGpus({ containers: [other], resourceClaims: [{ name: 'gpu' }] })).toBe(false);
    expect(usesGpus({ ephemeralContainers: [gpuContainer()] })).toBe(false);
    expect(usesGpus(undefined)).toBe(false);
  });
});

describe('the claim to a channel', () => {
  it('is in the pod and in the containers that ask for GPUs, and only there', () => {
    const podSpec = {
      containers: [gpuContainer(), { name: 'log' }],
      initContainers: [gpuContainer(1, 'requests')],
    };
    const after = withChannel(podSpec, 'demo-0-train');
    expect(after['resourceClaims']).toEqual([
      { name: 'mnnvl-claim', resourceClaimTemplateName: 'demo-0-train' },
    ]);
    expect(at(after, 'containers')).toMatchObject([
      { resources: { limits: { 'nvidia.com/gpu': 4 }, claims: [{ name: 'mnnvl-claim' }] } },
      { name: 'log' },
    ]);
    expect(at(after, 'containers', '1', 'resources')).toBeUndefined();
    expect(at(after, 'initContainers')).toMatchObject([
      { resources: { claims: [{ name: 'mnnvl-claim' }] } },
    ]);
  });

  it('is not there without GPUs', () => {
    const podSpec = { containers: [gpuContainer(0)] };
    expect(withChannel(podSpec, 'demo-0-train')).toBe(podSpec);
  });
});
