// What is worth a warning in a PodCliqueSet that is accepted. Grove warns of every restart policy,
// and wrongly: it is not ignored (spec api 3.3, W1). The other warnings are for what Grove accepts
// and what fails later (spec api 3.10): among them names of children that collide, and names of
// claims that no pod can carry.
import { isObject, text } from '#machines/kubernetes/json.ts';
import { type Advice, repeated } from '../rule.ts';
import {
  cliquesPath,
  groupsPath,
  integerAt,
  namesOf,
  type CliqueView,
  type SetSubject,
  type SetView,
} from '../view.ts';
import { sharesOf, sharingPath } from './claims.ts';

const first = `${cliquesPath}[0]`;
const policy = `${first}.spec.podSpec.restartPolicy`;
const group = `${groupsPath}[0]`;

/** A pod names its claims with DNS labels. */
const longestLabel = 63;
const long = 'b'.repeat(60);

export const setAdvice: readonly Advice<SetSubject>[] = [
  {
    id: 'W1',
    field: `${cliquesPath}[n].spec.podSpec.restartPolicy`,
    warns: 'that pods with a policy other than Always may end, and are then replaced',
    check: ({ set }) =>
      set.cliques.flatMap(({ path, podSpec }) => {
        const given = text(podSpec['restartPolicy']);
        if (given === '' || given === 'Always') return [];
        return [
          `${path}.spec.podSpec.restartPolicy: with "${given}" pods may end; a pod that has ended` +
            ' is replaced by a new one',
        ];
      }),
    accepts: { given: { [policy]: 'Always' } },
    advises: {
      given: { [policy]: 'Never' },
      says: `${policy}: with "Never" pods may end; a pod that has ended is replaced by a new one`,
    },
  },
  {
    id: 'W4',
    field: `metadata.name, ${cliquesPath}[n].name, ${groupsPath}[n].name`,
    warns: 'that names with dots lead to pods that no server accepts: host names cannot have dots',
    check: ({ set }) =>
      [
        ['metadata.name', set.name] as const,
        ...[...set.cliques, ...set.groups].map((part) => [`${part.path}.name`, part.name] as const),
      ]
        .filter(([, name]) => name.includes('.'))
        .map(
          ([path, name]) =>
            `${path}: "${name}" has a dot, so its pods cannot be created: host names have none`,
        ),
    accepts: {},
    advises: {
      given: { [`${first}.name`]: 'front.end' },
      says: `${first}.name: "front.end" has a dot, so its pods cannot be created: host names have none`,
    },
  },
  {
    id: 'W5',
    field: `${cliquesPath}[n].name, ${groupsPath}[n].name`,
    warns: 'that a standalone clique and a group with the same name conflict',
    check: ({ set }) =>
      repeated([
        ...new Set(namesOf(set.cliques).filter((name) => !set.groupOf.has(name))),
        ...new Set(namesOf(set.groups)),
      ]).map(
        (name) =>
          `${cliquesPath}: the clique "${name}" and the scaling group "${name}" get autoscalers of` +
          ' the same name',
      ),
    accepts: {},
    advises: {
      given: { [`${first}.name`]: 'decode' },
      says:
        `${cliquesPath}: the clique "decode" and the scaling group "decode" get autoscalers of` +
        ' the same name',
    },
  },
  {
    id: 'W6',
    field: `${groupsPath}[n].scaleConfig.maxReplicas`,
    warns: 'that the API server refuses an autoscaler with a limit below `minReplicas`',
    check: ({ set }) =>
      set.groups.flatMap(({ path, raw }) => {
        const config = raw['scaleConfig'];
        if (!isObject(config)) return [];
        const least = integerAt(config, 'minReplicas') ?? integerAt(raw, 'replicas') ?? 1;
        const most = integerAt(config, 'maxReplicas') ?? 0;
        if (most >= least) return [];
        return [
          `${path}.scaleConfig.maxReplicas: ${most} is less than minReplicas (${least}), so the` +
            ' autoscaler cannot be created',
        ];
      }),
    accepts: { given: { [`${group}.scaleConfig`]: { minReplicas: 2, maxReplicas: 2 } } },
    advises: {
      given: { [`${group}.scaleConfig`]: { minReplicas: 2, maxReplicas: 1 } },
      says:
        `${group}.scaleConfig.maxReplicas: 1 is less than minReplicas (2), so the autoscaler cannot` +
        ' be created',
    },
  },
  {
    id: 'W7',
    field: '<sharing list>[n].name',
    warns: `that the name of a claim is longer than ${longestLabel} characters, so no pod can use it`,
    check: ({ set }) =>
      ownersOf(set).flatMap(({ path, raw, length }) =>
        sharesOf(path, raw).flatMap((share) => {
          const between = text(share.raw['scope']) === 'AllReplicas' ? '-all-' : '-0-';
          const whole = length + between.length + share.name.length;
          return whole <= longestLabel
            ? []
            : [
                `${share.path}.name: the claims of "${share.name}" get names of ${whole} characters` +
                  ` and more, and pods can use claims of at most ${longestLabel}`,
              ];
        }),
      ),
    accepts: { given: { [sharingPath]: [{ name: 'gpu', scope: 'AllReplicas' }] } },
    advises: {
      given: { [sharingPath]: [{ name: long, scope: 'PerReplica' }] },
      says:
        `${sharingPath}[0].name: the claims of "${long}" get names of 67 characters and more,` +
        ' and pods can use claims of at most 63',
    },
  },
  {
    id: 'W8',
    field: `${cliquesPath}[n].name`,
    warns: 'that a standalone clique has the name of a group member in one of its replicas',
    check: ({ set }) => {
      const members = new Set(
        set.groups.flatMap(({ name, cliqueNames }) =>
          cliqueNames.map((clique) => `${name}-*-${clique}`),
        ),
      );
      return set.cliques
        .filter(
          ({ name }) => !set.groupOf.has(name) && membersLike(name).some((m) => members.has(m)),
        )
        .map(
          ({ path, name }) =>
            `${path}.name: "${name}" is also the name of a member of a scaling group, so two` +
            ' PodCliques want one name',
        );
    },
    accepts: { given: { [`${first}.name`]: 'decode-0' } },
    advises: {
      given: { [`${first}.name`]: 'decode-0-worker' },
      says:
        `${first}.name: "decode-0-worker" is also the name of a member of a scaling group, so two` +
        ' PodCliques want one name',
    },
  },
];

/** `a-0-b` as `a-*-b`, for each place of it that can be an index. */
const membersLike = (name: string): readonly string[] =>
  [...name.matchAll(/-\d+(?=-)/g)].map(
    ({ index, 0: digits }) => `${name.slice(0, index)}-*${name.slice(index + digits.length)}`,
  );

/** The sharing lists, each with the length of the names of what owns its claims, with indices of
 *  one digit. */
function ownersOf(
  set: SetView,
): readonly (Pick<CliqueView, 'path' | 'raw'> & { length: number })[] {
  const base = set.name.length + '-0-'.length;
  const groupLength = (name: string | undefined): number =>
    name === undefined ? 0 : name.length + '-0-'.length;
  return [
    { path: sharingPath, raw: set.template, length: set.name.length },
    ...set.groups.map(({ path, name, raw }) => ({
      path: `${path}.resourceSharing`,
      raw,
      length: base + name.length,
    })),
    ...set.cliques.map(({ path, name, raw }) => ({
      path: `${path}.resourceSharing`,
      raw,
      length: base + groupLength(set.groupOf.get(name)) + name.length,
    })),
  ];
}
