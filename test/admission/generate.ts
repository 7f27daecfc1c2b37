// Valid PodCliqueSets as people would submit them, drawn by fast-check: fields that have a default
// are sometimes left out.
import fc from 'fast-check';
import type { StringMap } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const names = ['router', 'leader', 'worker', 'cache', 'gpu-worker'];

/** That some of the sets name. */
export const priorityClasses = ['high', 'low'] as const;

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
  priorityClassName: optional(fc.constantFrom(...priorityClasses)),
  initContainers: optional(
    fc.constant([{ name: 'fetch', image: 'registry.example/fetch:1.0', env: [{ name: 'A' }] }]),
  ),
  containers: fc.constant([
    { name: 'main', image: 'registry.example/main:1.0', env: [{ name: 'A' }, { name: 'B' }] },
  ]),
});

function clique(
  name: string,
  index: number,
  isMember: boolean,
  startupType: string,
  mostPods: number,
) {
  return fc
    .record({
      replicas: fc.integer({ min: 1, max: mostPods }),
      share: fc.integer({ min: 0, max: 3 }),
    })
    .chain(({ replicas, share }) => {
      const least = Math.max(1, replicas - share);
      return fc.record({
        name: fc.constant(name),
        labels: optional(fc.constant({ team: 'blue' })),
        annotations: notes,
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

function group(name: string, cliqueNames: readonly string[], mostReplicas: number) {
  return fc.integer({ min: 1, max: mostReplicas }).chain((replicas) =>
    fc.integer({ min: 1, max: replicas }).chain((minAvailable) =>
      fc.record({
        name: fc.constant(name),
        annotations: notes,
        cliqueNames: fc.constant(cliqueNames),
        replicas: fc.constant(replicas),
        minAvailable: fc.constant(minAvailable),
        scaleConfig: scaling(minAvailable, replicas),
      }),
    ),
  );
}

export interface Size {
  /** Most of each. */
  readonly replicas: number;
  readonly cliques: number;
  readonly pods: number;
  readonly groupReplicas: number;
}

const anySize: Size = { replicas: 3, cliques: names.length, pods: 4, groupReplicas: 3 };

const notes = optional(fc.constantFrom({ 'example.org/note': 'x' }, {}));

/** A valid set, as submitted. The schema's defaults are filled in, those of the webhook are not. */
export const validSets = (size: Size = anySize): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      count: fc.integer({ min: 1, max: size.cliques }),
      groups: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 2 }),
      startupType: fc.constantFrom(
        'CliqueStartupTypeAnyOrder',
        'CliqueStartupTypeInOrder',
        'CliqueStartupTypeExplicit',
      ),
      replicas: fc.integer({ min: 0, max: size.replicas }),
      delay: optional(fc.constantFrom('30s', '1h0m0s', '1.5h')),
      publish: optional(fc.boolean()),
      priorityClassName: optional(fc.constantFrom(...priorityClasses)),
      updateStrategy: optional(
        fc.constantFrom({ type: 'OnDelete' }, { type: 'RollingRecreate' }, {}),
      ),
      labels: optional(fc.constant({ team: 'blue' })),
      annotations: notes,
    })
    .chain(({ count, groups, startupType, ...rest }) => {
      const own = names.slice(0, count);
      // Groups take their members from the end.
      const free = [...own];
      const members = groups.map((many) => free.splice(-many)).filter((each) => each.length > 0);
      const grouped = new Set(members.flat());
      return fc
        .record({
          cliques: fc.tuple(
            ...own.map((name, index) =>
              clique(name, index, grouped.has(name), startupType, size.pods),
            ),
          ),
          podCliqueScalingGroups: fc.tuple(
            ...members.map((cliqueNames, index) =>
              group(`group-${index}`, cliqueNames, size.groupReplicas),
            ),
          ),
        })
        .map((template) => setOf(rest, { ...template, cliqueStartupType: startupType }));
    });

interface Rest {
  readonly replicas: number;
  readonly delay: string | undefined;
  readonly publish: boolean | undefined;
  readonly priorityClassName: string | undefined;
  readonly updateStrategy: { readonly type?: string } | undefined;
  readonly labels: StringMap | undefined;
  readonly annotations: StringMap | undefined;
}

const setOf = (
  { replicas, delay, publish, priorityClassName, updateStrategy, labels, annotations }: Rest,
  template: Readonly<Record<string, unknown>>,
): JsonObject =>
  compact({
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueSet',
    metadata: { name: 'drawn', namespace: 'default', labels, annotations },
    spec: {
      replicas,
      updateStrategy,
      template: {
        ...template,
        priorityClassName,
        terminationDelay: delay,
        headlessServiceConfig:
          publish === undefined ? undefined : { publishNotReadyAddresses: publish },
      },
    },
  });

export const validSet = validSets();
