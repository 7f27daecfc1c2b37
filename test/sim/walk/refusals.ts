// Edits of a valid PodCliqueSet that must be refused, each with the rule of docs/admission.md that
// says so, or `schema` where the API server itself does. Used by edits.ts.
import type { Replaced } from '#src/admission/rule.ts';
import { at } from '../fields.ts';
import { type GroupPart, type Parts, template } from './parts.ts';

export interface Refusal {
  readonly rule: string;
  /** Part of the message: the field. */
  readonly says: string;
  readonly values: Replaced;
}

/** Undefined where the set has nothing that could be spoiled so. */
type Spoil = (parts: Parts) => Refusal | undefined;

const refusal = (rule: string, says: string, values: Replaced): Refusal => ({
  rule,
  says,
  values,
});

const sharing = [{ name: 'a', scope: 'PerReplica' }];
const group = `${template}.podCliqueScalingGroups`;
const clique = `${template}.cliques`;
const first = `${clique}[0]`;

/** Of any set. */
const always: readonly Spoil[] = [
  () => refusal('schema', 'spec.replicas', { 'spec.replicas': -1 }),
  () => refusal('schema', 'spec.updateStrategy.type', { 'spec.updateStrategy': { type: 'Now' } }),
  () => refusal('schema', `${clique}[0].spec.roleName`, { [`${first}.spec.roleName`]: null }),
  () => refusal('schema', `${clique}[0].spec.replicas`, { [`${first}.spec.replicas`]: -3 }),
  () => refusal('schema', 'cliqueStartupType', { [`${template}.cliqueStartupType`]: 'Sideways' }),
  () => refusal('schema', 'metadata.labels', { "metadata.labels['a b']": 'x' }),
  () => refusal('V42', `${template}.terminationDelay`, { [`${template}.terminationDelay`]: '0s' }),
  () => refusal('V14', clique, { [clique]: [] }),
  () => refusal('V17', `${first}.labels`, { [`${first}.labels`]: { 'a b': 'x' } }),
  () => refusal('V19', `${first}.spec.minAvailable`, { [`${first}.spec.minAvailable`]: 9 }),
  () =>
    refusal('V25', `${first}.spec.podSpec.spec.containers[0].env`, {
      [`${first}.spec.podSpec.containers[0].env`]: [{ name: 'A=B' }],
    }),
  () =>
    refusal('V26', `${first}.spec.podSpec`, {
      [`${first}.spec.podSpec.containers[0].env`]: [{ name: 'A' }, { name: 'A' }],
    }),
  ({ cliques }) =>
    refusal(
      'V30',
      'schedulerName',
      Object.fromEntries(cliques.map(({ path }) => [`${path}.spec.podSpec.schedulerName`, 'me'])),
    ),
  () =>
    refusal('M3', 'grove.io/mnnvl-group', { "metadata.annotations['grove.io/mnnvl-group']": 'a' }),
  ({ cliques, set }) =>
    refusal('U1', clique, {
      [`${clique}[${cliques.length}]`]: {
        name: 'extra',
        spec: {
          roleName: 'extra',
          replicas: 1,
          minAvailable: 1,
          podSpec: JSON.parse(JSON.stringify(podSpecOf(set))),
        },
      },
    }),
  () => refusal('U4', `${clique}.spec.roleName`, { [`${first}.spec.roleName`]: 'renamed' }),
  () => refusal('U5', `${first}.resourceSharing`, { [`${first}.resourceSharing`]: sharing }),
  ({ startup }) =>
    startup === 'CliqueStartupTypeExplicit'
      ? undefined
      : refusal('U6', `${template}.cliqueStartupType`, {
          [`${template}.cliqueStartupType`]:
            startup === 'CliqueStartupTypeInOrder'
              ? 'CliqueStartupTypeAnyOrder'
              : 'CliqueStartupTypeInOrder',
        }),
  () => refusal('U10', `${template}.resourceSharing`, { [`${template}.resourceSharing`]: sharing }),
  () =>
    refusal('V10', `${template}.resourceSharing[0].filter`, {
      [`${template}.resourceSharing`]: [{ name: 'a', scope: 'AllReplicas', filter: {} }],
    }),
  () =>
    refusal('T12', `${first}.topologyConstraint`, {
      [`${first}.topologyConstraint`]: { topologyName: 'fabric', pack: { required: 'rack' } },
    }),
];

const podSpecOf = (set: unknown): unknown =>
  at((at(set, 'spec', 'template', 'cliques') as readonly unknown[])[0], 'spec', 'podSpec');

const ofCliques: readonly Spoil[] = [
  ({ cliques }) => {
    const free = cliques.find(({ isUnnamed }) => isUnnamed);
    return free && refusal('U2', `${clique}.name`, { [`${free.path}.name`]: 'renamed' });
  },
  ({ cliques, startup }) => {
    const [a, b] = cliques;
    if (a === undefined || b === undefined || startup === 'CliqueStartupTypeAnyOrder') return;
    const names = { [`${a.path}.name`]: b.name, [`${b.path}.name`]: a.name };
    const areFree = a.isUnnamed && b.isUnnamed;
    return areFree ? refusal('U3', clique, names) : undefined;
  },
  ({ cliques }) => {
    const larger = cliques.find(({ minAvailable }) => minAvailable > 1);
    return larger && refusal('U4', 'minAvailable', { [`${larger.path}.spec.minAvailable`]: 1 });
  },
  ({ standalone: [one] }) =>
    one &&
    refusal('V22', `${one.path}.spec.autoScalingConfig.maxReplicas`, {
      [`${one.path}.spec.autoScalingConfig`]: {
        minReplicas: one.minAvailable + 1,
        maxReplicas: one.minAvailable,
      },
    }),
  ({ standalone }) => {
    const one = standalone.find(({ minAvailable }) => minAvailable > 1);
    const scaling = { minReplicas: 1, maxReplicas: 9 };
    return (
      one &&
      refusal('V21', `${one.path}.spec.autoScalingConfig.minReplicas`, {
        [`${one.path}.spec.autoScalingConfig`]: scaling,
      })
    );
  },
  ({ cliques }) => {
    const member = cliques.find(({ isMember }) => isMember);
    if (member === undefined) return undefined;
    const scaling = { minReplicas: member.minAvailable, maxReplicas: 9 };
    const values = { [`${member.path}.spec.autoScalingConfig`]: scaling };
    return refusal('V41', group, values);
  },
];

const ofGroup =
  (spoil: (one: GroupPart, parts: Parts) => Refusal | undefined): Spoil =>
  (parts) =>
    parts.groups[0] && spoil(parts.groups[0], parts);

const ofGroups: readonly Spoil[] = [
  ofGroup(({ path, replicas }) =>
    refusal('V37', `${path}.minAvailable`, { [`${path}.minAvailable`]: replicas + 1 }),
  ),
  ofGroup(({ path }) => refusal('V36', `${path}.replicas`, { [`${path}.replicas`]: 0 })),
  ofGroup(({ path, minAvailable }) =>
    refusal('V38', `${path}.scaleConfig.minReplicas`, {
      [`${path}.scaleConfig`]: { minReplicas: minAvailable - 1, maxReplicas: 9 },
    }),
  ),
  ofGroup(({ path }) =>
    refusal('schema', 'scaleConfig.maxReplicas', { [`${path}.scaleConfig`]: {} }),
  ),
  ofGroup(({ path }) =>
    refusal('V34', `${path}.cliqueNames`, { [`${path}.cliqueNames`]: ['nobody'] }),
  ),
  ofGroup((_, { groups }) => refusal('U7', group, { [`${group}[${groups.length - 1}]`]: null })),
  ofGroup(({ path }) => refusal('U8', `${group}.name`, { [`${path}.name`]: 'renamed' })),
  ofGroup(({ path, minAvailable, replicas, mostReplicas }) =>
    replicas > minAvailable && mostReplicas === undefined
      ? refusal('U9', `${group}.minAvailable`, { [`${path}.minAvailable`]: minAvailable + 1 })
      : undefined,
  ),
  ofGroup(({ path }) =>
    refusal('U9', `${group}.resourceSharing`, { [`${path}.resourceSharing`]: sharing }),
  ),
];

/** All that can be done wrong to this set. */
export const refusals = (parts: Parts): readonly Refusal[] =>
  [...always, ...ofCliques, ...ofGroups]
    .map((spoil) => spoil(parts))
    .filter((one) => one !== undefined);
