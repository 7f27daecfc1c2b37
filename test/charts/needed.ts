// The permissions that the code needs: of the kinds that actors read and write by their table, and
// of the few requests that are made without it, each with the place that makes them.
import type { Operation } from '#machines/contract/kind.ts';
import { modules } from '#machines/index.ts';
import { apiGroup, backendOf, featureOf, isKind, isWatched, kindRow } from '#machines/kinds.ts';
import type { Kind, SchedulerBackend } from '#machines/kinds.ts';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
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

/** A part of the configuration that may be off. */
const moduleOf = (kind: Kind): string =>
  modules.find(({ kinds }) => kinds.includes(kind))?.name ?? '';

const whenOf = (kind: Kind): string => {
  const backend = backendOf(kind);
  return backend === undefined ? (featureOf(kind) ?? moduleOf(kind)) : switches[backend];
};

function ofKind(kind: Kind): readonly Grant[] {
  const { plural, writes, owners } = kindRow(kind);
  const when = whenOf(kind);
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
  const all = isWatched(kind) ? ['list', 'watch', ...needs] : writes;
  return [
    ...all.map((verb) => on(plural, verb)),
    ...(writes.some((operation) => operation === 'status')
      ? [on(`${plural}/status`, 'update')]
      : []),
    ...owners.map((owner) => {
      if (!isKind(owner)) throw new Error(`${owner}, an owner of ${kind}, is no kind`);
      return on(`${kindRow(owner).plural}/finalizers`, 'update', apiGroup(owner));
    }),
  ];
}

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
    when: 'questions',
  },
  {
    by: 'src/questions/review.ts',
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    verbs: ['create'],
    when: 'questions',
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
        when: under('certificates'),
      },
    ];
  }),
];

const ofRequest = ({ scope = 'cluster', group, resource, name = '', ...request }: Request) =>
  request.verbs.map((verb): Grant => {
    const { when = '' } = request;
    return { scope, group, resource, name, verb, when };
  });

const allGrants = (): readonly Grant[] => [
  ...modules.flatMap(({ kinds }) => kinds.flatMap(ofKind)),
  ...others.flatMap(ofRequest),
];

/** May hold the same more than once; what is needed always, or by a whole module, is not named
 *  under a switch again. */
export function neededGrants(): readonly Grant[] {
  const all = allGrants();
  const wide = ['', ...modules.map(({ name }) => name)];
  const isWide = ({ when }: Grant): boolean => wide.includes(when);
  const granted = new Set(all.filter(isWide).map(lineOf));
  return all.filter(
    (grant) => isWide(grant) || !wide.some((when) => granted.has(lineOf({ ...grant, when }))),
  );
}
