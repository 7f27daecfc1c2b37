// What is worth a warning in a PodCliqueSet that is accepted. Grove warns of every restart policy,
// and wrongly: it is not ignored (spec api 3.3, W1). The other warnings are for what Grove accepts
// and what fails later (spec api 3.10).
import { isObject, text } from '#machines/kubernetes/json.ts';
import { type Advice, repeated } from '../rule.ts';
import { cliquesPath, groupsPath, integerAt, namesOf, type SetSubject } from '../view.ts';

const first = `${cliquesPath}[0]`;
const policy = `${first}.spec.podSpec.restartPolicy`;
const group = `${groupsPath}[0]`;

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
        ...new Set(namesOf(set.cliques).filter((name) => !set.members.has(name))),
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
];
