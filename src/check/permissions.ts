// May the controller do what its kinds need? By a SubjectAccessReview for its ServiceAccount, or,
// where it runs in no pod, for the user of the kubeconfig.
import type { Operation } from '#machines/contract/kind.ts';
import { apiGroup, isWatched, kindRow, type Kind } from '#machines/kinds.ts';
import { at } from '#machines/kubernetes/json.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import { type Check, fine, type Installation, notLooked } from './finding.ts';
import { neededKinds } from './needed.ts';

/** Requests at once. */
const width = 8;
/** Named in the finding; more are counted. */
const shown = 8;

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
}

export const permissionsCheck: Check = {
  title: 'permissions of the controller',
  run: async (installation) => {
    const rights = neededRights(installation);
    const missing: Right[] = [];
    for (let from = 0; from < rights.length; from += width) {
      const answers = await Promise.all(
        rights.slice(from, from + width).map((right) => ask(installation, right)),
      );
      for (const { right, isAllowed, problem } of answers) {
        if (problem !== undefined) return notLooked(problem);
        if (!isAllowed) missing.push(right);
      }
    }
    if (missing.length === 0) return fine;
    const names = missing.slice(0, shown).map(nameOf);
    const more = missing.length > shown ? ` and ${missing.length - shown} more` : '';
    const who = installation.account ?? 'the user of the kubeconfig';
    return {
      findings: [
        {
          code: 'permission-missing',
          what: `${who} may not ${names.join(', ')}${more}`,
          hint: 'helm upgrade with the values of the configuration: its ClusterRole follows them',
        },
      ],
    };
  },
};

const nameOf = ({ verb, resource, group }: Right): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;

const verbsOf: Readonly<Record<Operation, string>> = {
  create: 'create',
  patch: 'patch',
  delete: 'delete',
  status: 'update',
};

/** Of kinds whose permissions are for the whole cluster; those of NVIDIA's driver are for its
 *  namespaces. */
function neededRights(installation: Installation): readonly Right[] {
  const { configuration } = installation.configured;
  const { driverNamespace } = configuration.computeDomains;
  const ofKinds = neededKinds(configuration).flatMap((kind): Right[] => {
    const { plural, writes } = kindRow(kind);
    const group = apiGroup(kind);
    const where = ofDriver.includes(kind) ? { namespace: driverNamespace } : {};
    return [
      ...(isWatched(kind) ? ['list', 'watch'] : []).map((verb) => ({
        group,
        resource: plural,
        verb,
      })),
      ...writes.map((operation) => ({
        group,
        resource: operation === 'status' ? `${plural}/status` : plural,
        verb: verbsOf[operation],
        ...where,
      })),
    ];
  });
  const { namespace } = installation;
  const leases = ['list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({
    group: 'coordination.k8s.io',
    resource: 'leases',
    verb,
    namespace,
  }));
  return [
    ...new Map(
      [
        { group: '', resource: 'events', verb: 'create' },
        ...ofKinds,
        ...(configuration.leases.enabled ? leases : []),
      ].map((right) => [nameOf(right), right]),
    ).values(),
  ];
}

const ofDriver: readonly Kind[] = ['ComputeDomainClique', 'DaemonPod', 'DomainDaemonSet'];

async function ask({ transport, account }: Installation, right: Right) {
  const { resource: whole, ...rest } = right;
  const [resource = '', subresource] = whole.split('/');
  const resourceAttributes = {
    ...rest,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const apiVersion = 'authorization.k8s.io/v1';
  const kind = account === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const groups = ['system:serviceaccounts', 'system:authenticated'];
  const response = await transport.request({
    method: 'POST',
    path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
    body: {
      apiVersion,
      kind,
      spec: { resourceAttributes, ...(account === undefined ? {} : { user: account, groups }) },
    },
  });
  const isAllowed = at(response.body, 'status', 'allowed') === true;
  if (isSuccess(response)) return { right, isAllowed, problem: undefined };
  const problem = `what the controller may do cannot be asked: ${failureOf(response).message}`;
  return { right, isAllowed, problem };
}
