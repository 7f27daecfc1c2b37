// A claim in a pod spec: where it is written, and when nothing is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withClaim } from '#machines/grove/objects/pod-spec.ts';
import { isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const claim = { name: 'shared', resourceClaimName: 'shared' };
const named = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more });

describe('a claim', () => {
  it('comes last in the pod, and last in each container and init container that uses it', () => {
    const podSpec = {
      resourceClaims: [{ name: 'theirs', resourceClaimName: 'x' }],
      containers: [named('a', { resources: { claims: [{ name: 'theirs' }] } }), named('b')],
      initContainers: [named('c')],
    };
    expect(withClaim(podSpec, claim, ({ name }) => name !== 'b')).toEqual({
      resourceClaims: [{ name: 'theirs', resourceClaimName: 'x' }, claim],
      containers: [
        named('a', { resources: { claims: [{ name: 'theirs' }, { name: 'shared' }] } }),
        named('b'),
      ],
      initContainers: [named('c', { resources: { claims: [{ name: 'shared' }] } })],
    });
  });

  it('that the pod has already stays as the user wrote it, and no container gets it', () => {
    const podSpec = {
      resourceClaims: [{ name: 'shared', resourceClaimTemplateName: 'mine' }],
      containers: [named('a')],
    };
    expect(withClaim(podSpec, claim)).toBe(podSpec);
  });

  it('that no container uses is not in the pod either', () => {
    const podSpec = { containers: [named('a')] };
    expect(withClaim(podSpec, claim, () => false)).toBe(podSpec);
    expect(withClaim({}, claim)).toEqual({});
  });

  it('is referred to once by a container that refers to it already', () => {
    const container = named('a', {
      resources: { limits: { cpu: 1 }, claims: [{ name: 'shared' }] },
    });
    expect(withClaim({ containers: [container] }, claim)).toEqual({
      containers: [container],
      resourceClaims: [claim],
    });
  });

  it('is written once however often it is asked for, and the input is kept (rules 7 and 8)', () => {
    const claims = fc.option(
      fc.array(
        fc.constantFrom('shared', 'x', 'y').map((name) => ({ name })),
        { maxLength: 3 },
      ),
      { nil: undefined },
    );
    const containers = fc.array(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        resources: fc.option(
          claims.map((given) => (given === undefined ? {} : { claims: given })),
          { nil: undefined },
        ),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(containers, containers, claims, (main, init, own) => {
        const podSpec: JsonObject = JSON.parse(
          JSON.stringify({ containers: main, initContainers: init, resourceClaims: own }),
        );
        const before = structuredClone(podSpec);
        const once = withClaim(podSpec, claim);
        expect(podSpec).toEqual(before);
        expect(withClaim(once, claim)).toBe(once);
        const names = list(once['resourceClaims']).map((entry) => isObject(entry) && entry['name']);
        const had = (own ?? []).filter(({ name }) => name === 'shared').length;
        expect(names.filter((name) => name === 'shared')).toHaveLength(
          had > 0 ? had : Math.min(1, main.length + init.length),
        );
      }),
    );
  });
});
