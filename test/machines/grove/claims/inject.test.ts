// Which pods get which claims: filters, names and order of spec controllers 8.2.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsOfPod } from '#machines/grove/claims/scope.ts';
import { commonClaimName, indexOfClaim, replicaClaimName } from '#machines/grove/objects/names.ts';
import { withClaim } from '#machines/grove/objects/pod-spec.ts';
import {
  externalTemplate,
  isFor,
  readClaimSpecs,
  readSharedClaims,
} from '#machines/grove/objects/claims.ts';
import type { Share, ShareScope } from '#machines/grove/objects/claims.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { claimSpec } from '#test/support/sharing.ts';

const only = (level: 'set' | 'group' | 'clique', filter: Json): Share | undefined =>
  readSharedClaims([{ name: 't', scope: 'PerReplica', filter }], level)[0];

describe('A filter', () => {
  const both = { childCliqueNames: ['worker'], childScalingGroupNames: ['engine'] };

  const rows: readonly (readonly [string, ShareScope, Json, readonly string[], boolean])[] = [
    ['of a set', 'set', both, ['worker'], true],
    ['of a set', 'set', both, ['leader', 'engine'], true],
    ['of a set', 'set', both, ['leader', 'other'], false],
    [
      'of a set, the lists not kept apart,',
      'set',
      { childCliqueNames: ['engine'] },
      ['x', 'engine'],
      true,
    ],
    ['of a set, the lists not kept apart,', 'set', { childScalingGroupNames: ['x'] }, ['x'], true],
    ['of a group', 'group', both, ['worker'], true],
    ['of a group, which knows cliques alone,', 'group', both, ['engine'], false],
    ['of a clique, which has none,', 'clique', both, ['anything'], true],
    ['that is absent', 'set', null, ['anything'], true],
    ['without any name', 'set', {}, ['anything'], false],
  ];

  it.each(rows)('%s %#: matches as in Grove', (_, level, filter, called, expected) => {
    const share = only(level, filter);
    expect(share !== undefined && isFor(share, called)).toBe(expected);
  });
});

describe('A template', () => {
  const own = readClaimSpecs([{ name: 'card', templateSpec: { spec: claimSpec('card') } }]);
  const share = (name: string, namespace = ''): Share => ({
    name,
    namespace,
    scope: 'AllReplicas',
    only: undefined,
  });

  it('of the set shadows one of the cluster, unless a namespace is given', () => {
    expect(externalTemplate(share('card'), own, 'demo')).toBeUndefined();
    expect(externalTemplate(share('card', 'shared'), own, 'demo')).toBe('shared/card');
    expect(externalTemplate(share('link'), own, 'demo')).toBe('demo/link');
  });

  it('of the set gives its spec and nothing of its metadata', () => {
    expect(own.get('card')).toEqual(claimSpec('card'));
  });
});

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,5}[a-z0-9])?$/);

describe('The name of a claim', () => {
  it('tells its replica, whatever its owner and its template are called', () => {
    fc.assert(
      fc.property(name, name, fc.nat(5_000), (owner, template, index) => {
        expect(indexOfClaim(owner, replicaClaimName(owner, index, template))).toBe(index);
        expect(indexOfClaim(owner, commonClaimName(owner, template))).toBeUndefined();
      }),
    );
  });
});

const sharedClaims = fc.array(
  fc.record({
    name,
    namespace: fc.constant(''),
    scope: fc.constantFrom('AllReplicas', 'PerReplica'),
    only: fc.option(
      fc.uniqueArray(fc.constantFrom('a', 'b')).map((names) => new Set(names)),
      { nil: undefined },
    ),
  }),
  { maxLength: 4 },
);
const sharer = fc.record({
  name,
  sharedClaims,
  index: fc.nat(9),
  called: fc.constantFrom(['a'], ['b'], ['a', 'b']),
});

describe('The claims of a pod', () => {
  it('come from the widest owner to the narrowest, those for all replicas first', () => {
    fc.assert(
      fc.property(fc.array(sharer, { maxLength: 3 }), (sharers) => {
        const expected = sharers.flatMap(({ name: owner, index, called, sharedClaims: all }) => {
          const mine = all.filter((share) => isFor(share, called));
          const common = mine.filter(({ scope }) => scope === 'AllReplicas');
          const single = mine.filter(({ scope }) => scope === 'PerReplica');
          return [
            ...common.map((share) => `${owner}-all-${share.name}`),
            ...single.map((share) => `${owner}-${index}-${share.name}`),
          ];
        });
        expect(claimsOfPod(sharers)).toEqual(expected);
      }),
    );
  });

  it('are entered once, in every container and init container, behind those that are there', () => {
    const container = fc.record({
      name,
      resources: fc.constant<JsonObject>({ limits: { a: '1' } }),
    });
    fc.assert(
      fc.property(
        fc.array(container, { minLength: 1, maxLength: 3 }),
        fc.array(container, { maxLength: 2 }),
        fc.uniqueArray(name, { maxLength: 4 }),
        (containers, initContainers, claims) => {
          const before: JsonObject = {
            containers: containers.map((one): JsonObject => ({ ...one })),
            initContainers: initContainers.map((one): JsonObject => ({ ...one })),
            resourceClaims: [{ name: 'Theirs', resourceClaimName: 'x' }],
          };
          const kept = structuredClone(before);
          const inject = (spec: JsonObject): JsonObject =>
            claims.reduce(
              (all, one) => withClaim(all, { name: one, resourceClaimName: one }),
              spec,
            );
          const after = inject(before);
          expect(before).toEqual(kept);
          expect(after['resourceClaims']).toEqual([
            { name: 'Theirs', resourceClaimName: 'x' },
            ...claims.map((one) => ({ name: one, resourceClaimName: one })),
          ]);
          for (const field of ['containers', 'initContainers']) {
            for (const one of Object(after)[field]) {
              expect(one.resources.limits).toEqual({ a: '1' });
              expect(one.resources.claims ?? []).toEqual(claims.map((each) => ({ name: each })));
            }
          }
          expect(inject(after)).toEqual(after);
        },
      ),
    );
  });
});
