// Valid PodCliqueSets as people would submit them, drawn by fast-check: fields that have a default
// are sometimes left out.
import fc from 'fast-check';
import type { JsonObject } from '#machines/objects.ts';

const names = ['router', 'leader', 'worker', 'cache', 'gpu-worker'];

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** Without the keys that have no value, as JSON has them. */
const compact = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

const scaling = (floor: number, replicas: number) =>
  optional(
    fc.record({
      minReplicas: optional(fc.integer({ min: floor, max: replicas })),
      maxReplicas: fc.integer({ min: replicas, max: 9 }),
    }),
  );

const podSpec = fc.record({
  restartPolicy: optional(fc.constantFrom('Always', 'OnFailure', 'Never')),
  terminationGracePeriodSeconds: optional(fc.integer({ min: 0, max: 90 })),
  priorityClassName: optional(fc.constant('high')),
  containers: fc.constant([
    { name: 'main', image: 'registry.example/main:1.0', env: [{ name: 'A' }, { name: 'B' }] },
  ]),
});

function clique(name: string, index: number, isMember: boolean, startupType: string) {
  return fc
    .record({ replicas: fc.integer({ min: 1, max: 4 }), share: fc.integer({ min: 0, max: 3 }) })
    .chain(({ replicas, share }) => {
      const least = Math.max(1, replicas - share);
      return fc.record({
        name: fc.constant(name),
        labels: optional(fc.constant({ team: 'blue' })),
        spec: fc.record({
          roleName: fc.constant(name),
          replicas: fc.constant(replicas),
          minAvailable: share === 0 ? optional(fc.constant(least)) : fc.constant(least),
          startsAfter:
            startupType === 'CliqueStartupTypeExplicit'
              ? fc.subarray(names.slice(0, index))
              : fc.constant(undefined),
          autoScalingConfig: isMember ? fc.constant(undefined) : scaling(least, replicas),
          podSpec,
        }),
      });
    });
}

function group(name: string, cliqueNames: readonly string[]) {
  return fc.integer({ min: 1, max: 3 }).chain((replicas) =>
    fc.integer({ min: 1, max: replicas }).chain((minAvailable) =>
      fc.record({
        name: fc.constant(name),
        cliqueNames: fc.constant(cliqueNames),
        replicas: fc.constant(replicas),
        minAvailable: fc.constant(minAvailable),
        scaleConfig: scaling(minAvailable, replicas),
      }),
    ),
  );
}

/** A valid set, as submitted. The schema's defaults are filled in, those of the webhook are not. */
export const validSet: fc.Arbitrary<JsonObject> = fc
  .record({
    count: fc.integer({ min: 1, max: names.length }),
    groups: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 2 }),
    startupType: fc.constantFrom(
      'CliqueStartupTypeAnyOrder',
      'CliqueStartupTypeInOrder',
      'CliqueStartupTypeExplicit',
    ),
    replicas: fc.integer({ min: 0, max: 3 }),
    delay: optional(fc.constantFrom('30s', '1h0m0s', '1.5h')),
    publish: optional(fc.boolean()),
  })
  .chain(({ count, groups, startupType, ...rest }) => {
    const own = names.slice(0, count);
    // Groups take their members from the end.
    const free = [...own];
    const members = groups.map((size) => free.splice(-size)).filter((each) => each.length > 0);
    const grouped = new Set(members.flat());
    return fc
      .record({
        cliques: fc.tuple(
          ...own.map((name, index) => clique(name, index, grouped.has(name), startupType)),
        ),
        podCliqueScalingGroups: fc.tuple(
          ...members.map((cliqueNames, index) => group(`group-${index}`, cliqueNames)),
        ),
      })
      .map((template) =>
        compact({
          apiVersion: 'grove.io/v1alpha1',
          kind: 'PodCliqueSet',
          metadata: { name: 'drawn', namespace: 'default' },
          spec: {
            replicas: rest.replicas,
            template: {
              ...template,
              cliqueStartupType: startupType,
              terminationDelay: rest.delay,
              headlessServiceConfig:
                rest.publish === undefined ? undefined : { publishNotReadyAddresses: rest.publish },
            },
          },
        }),
      );
  });
