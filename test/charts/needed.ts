// The permissions that the code needs: of the kinds that actors read and write by their table, and
// of the few requests that are made without it, each with the place that makes them.
import type { Operation } from '#machines/contract/kind.ts';
import { modules } from '#machines/index.ts';
import { apiGroup, backendOf, featureOf, isKind, isWatched, kindRow } from '#machines/kinds.ts';
import type { Feature, Kind, SchedulerBackend } from '#machines/kinds.ts';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { sandboxConversion } from '#src/modules/agentsandbox/conversion/webhook.ts';
import { type Grant, lineOf } from './grants.ts';

/** The switch of the chart for a scheduler backend. */
const switches: Record<SchedulerBackend, string> = {
  'kai-scheduler': 'kai',
  volcano: 'volcano',
};

/** A lost race is looked at before it is judged, so who writes also gets
 *  (actors/effects/runner.ts). */
const verbs: Record<Exclude<Operation, 'status'>, readonly string[]> = {
  create: ['get', 'create'],
  patch: ['get', 'patch'],
  delete: ['get', 'delete'],
};

/** The module in whose part of the configuration a feature is switched. */
const featureModules: Record<Feature, string> = {
  computeDomains: 'grove',
  sandboxExtensions: 'agentsandbox',
};

/** What each of two modules does with a kind that they share; its row says what both do. */
const shares: Readonly<Record<string, Readonly<Record<string, readonly Operation[]>>>> = {
  grove: { ComputeDomain: ['create', 'patch', 'delete'] },
  nvidia: { ComputeDomain: ['patch', 'status'] },
};

/** Kinds of NVIDIA's driver that are changed in its namespaces alone. */
const ofDriver: readonly Kind[] = ['ComputeDomainClique', 'DaemonPod', 'DomainDaemonSet'];

/** Of those, what is made in the first of these namespaces alone. */
const onlyOf = (kind: Kind, verb: string, when: string): string =>
  kind === 'DomainDaemonSet' && verb === 'create' ? `driver ${when}` : when;

/** A part of the configuration that may be off. */
function whenOf(kind: Kind, module: string): string {
  const backend = backendOf(kind);
  if (backend !== undefined) return switches[backend];
  const feature = featureOf(kind);
  return feature === undefined || featureModules[feature] !== module ? module : feature;
}

const ofKind =
  (module: string) =>
  (kind: Kind): readonly Grant[] => {
    const { plural, owners, ...row } = kindRow(kind);
    const writes = shares[module]?.[kind] ?? row.writes;
    const when = whenOf(kind, module);
    const on = (resource: string, verb: string, group = apiGroup(kind)): Grant => ({
      scope: 'cluster',
      group,
      resource,
      name: '',
      verb,
      when,
    });
    const needs = writes.flatMap((operation) =>
      operation === 'status' ? ['get'] : verbs[operation],
    );
    const scope = ofDriver.includes(kind) ? 'namespace' : 'cluster';
    const changes = (isWatched(kind) ? needs : writes).map((verb): Grant => ({
      ...on(plural, verb),
      when: onlyOf(kind, verb, when),
      scope,
    }));
    return [
      ...(isWatched(kind) ? ['list', 'watch'] : []).map((verb) => on(plural, verb)),
      ...changes,
      ...(writes.some((operation) => operation === 'status')
        ? [on(`${plural}/status`, 'update')]
        : []),
      ...(writes.some((operation) => operation === 'create') ? owners : []).map((owner) => {
        if (!isKind(owner)) throw new Error(`${owner}, an owner of ${kind}, is no kind`);
        return on(`${kindRow(owner).plural}/finalizers`, 'update', apiGroup(owner));
      }),
    ];
  };

interface Request {
  readonly by: string;
  readonly scope?: Grant['scope'];
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly verbs: readonly string[];
  readonly when?: string;
}

const others: readonly Request[] = [
  { by: 'src/kube/write.ts', group: '', resource: 'events', verbs: ['create', 'patch'] },
  {
    by: 'machines/grove/podcliqueset/children/access.ts: what a Role grants, its maker must have',
    group: '',
    resource: 'pods/status',
    verbs: ['get', 'list', 'watch'],
    when: 'grove',
  },
  {
    by: 'src/leases',
    scope: 'namespace',
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    when: 'leases',
  },
  {
    by: 'actors/effects/runner.ts: whose Secret it is that has the name',
    scope: 'namespace',
    group: '',
    resource: 'secrets',
    verbs: ['get'],
    when: 'tokenReads',
  },
  {
    by: 'src/admission/certificates/keeper.ts',
    scope: 'namespace',
    group: '',
    resource: 'secrets',
    name: 'rendered',
    verbs: ['get', 'update'],
    when: 'certificates',
  },
  {
    by: 'src/admission/certificates/keeper.ts',
    scope: 'namespace',
    group: '',
    resource: 'secrets',
    verbs: ['create'],
    when: 'certificates',
  },
  {
    by: 'src/questions/start.ts: the keeper of its certificate',
    scope: 'namespace',
    group: '',
    resource: 'secrets',
    name: 'rendered',
    verbs: ['get', 'update'],
    when: 'questions',
  },
  {
    by: 'src/questions/start.ts: the keeper of its certificate',
    scope: 'namespace',
    group: '',
    resource: 'secrets',
    verbs: ['create'],
    when: 'questions',
  },
  {
    by: 'src/questions/review.ts',
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
    verbs: ['create'],
    when: 'reviews',
  },
  {
    by: 'src/questions/review.ts',
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    verbs: ['create'],
    when: 'reviews',
  },
  {
    by: 'src/admission/start.ts',
    group: 'authentication.k8s.io',
    resource: 'selfsubjectreviews',
    verbs: ['create'],
    when: 'authorizer',
  },
  {
    by: 'src/modules/grove/capability.ts',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    name: 'podgroups.scheduling.volcano.sh',
    verbs: ['get'],
    when: 'volcano',
  },
  {
    by: 'src/admission/lookups.ts',
    group: 'scheduling.volcano.sh',
    resource: 'queues',
    verbs: ['get'],
    when: 'admission volcano',
  },
  ...enabledWebhooks(true).flatMap((webhook): Request[] => {
    const [, , group = '', , resource = '', name = ''] = configurationPath(webhook).split('/');
    const under = (part: string): string => (webhook.optional ? `authorizer ${part}` : part);
    return [
      {
        by: 'src/admission/registration.ts',
        ...{ group, resource, name },
        verbs: ['create', 'patch'],
        when: under('registration'),
      },
      {
        by: 'src/admission/certificates/trust.ts',
        ...{ group, resource, name },
        verbs: ['get', 'update'],
        when: under('trust'),
      },
    ];
  }),
  ...sandboxConversion.definitions.map((name) => ({
    by: 'src/admission/registration.ts, src/admission/certificates/trust.ts',
    ...{ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', name },
    verbs: ['get', 'patch'],
    when: name.includes('extensions') ? 'conversion sandboxExtensions' : 'conversion',
  })),
];

const ofRequest = ({ scope = 'cluster', group, resource, name = '', ...request }: Request) =>
  request.verbs.map((verb): Grant => {
    const { when = '' } = request;
    return { scope, group, resource, name, verb, when };
  });

const allGrants = (): readonly Grant[] => [
  ...modules.flatMap(({ name, kinds }) => kinds.flatMap(ofKind(name))),
  ...others.flatMap(ofRequest),
];

/** May hold the same more than once; what is needed always, or by all of Grove, is not named again
 *  under a switch, as those that switch a part of a module are Grove's. */
export function neededGrants(): readonly Grant[] {
  const all = allGrants();
  const isWide = ({ when }: Grant): boolean =>
    when === '' || modules.some(({ name }) => name === when);
  const granted = new Set(all.filter(isWide).map(lineOf));
  return all.filter(
    (grant) =>
      isWide(grant) || !['', 'grove'].some((when) => granted.has(lineOf({ ...grant, when }))),
  );
}
