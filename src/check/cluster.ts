// Is the API server there, and new enough? And which actors are parked?
import { apiGroup, kindRow, type Kind } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { isSuccess, failureOf, unreachable } from '#src/kube/errors.ts';
import { collectionPath } from '#src/kube/paths.ts';
import { type Check, fine, type Finding, found, read } from './finding.ts';
import { isCustom, neededKinds } from './needed.ts';

/** Conditions of webhooks are stable since then, and nothing newer is needed. */
const leastMinor = 30;

export const serverCheck: Check = {
  title: 'API server',
  run: async ({ transport }) => {
    try {
      const response = await read(transport, '/version');
      if (!isSuccess(response)) return found(unreached(failureOf(response).message));
      const { major, minor } = versionOf(response.body);
      if (major > 1 || minor >= leastMinor) return fine;
      return found({
        code: 'server-version',
        what: `the API server is of version ${major}.${minor}`,
        hint: `Coppice needs Kubernetes 1.${leastMinor} or newer: upgrade the cluster`,
      });
    } catch (error) {
      return found(unreached(unreachable(error).message));
    }
  },
};

const versionOf = (body: unknown) => ({
  major: Number.parseInt(text(at(body, 'major')), 10),
  minor: Number.parseInt(text(at(body, 'minor')), 10),
});

const unreached = (why: string): Finding => ({
  code: 'server-unreachable',
  what: `the API server does not answer: ${why}`,
  hint: 'kubectl get --raw /readyz should say ok with the same kubeconfig and context',
});

export const parkedCheck: Check = {
  title: 'parked actors',
  run: async ({ transport, configured: { configuration } }) => {
    const kinds = neededKinds(configuration).filter(isCustom);
    const names: string[] = [];
    for (const kind of kinds) names.push(...(await parkedOf(transport, kind)));
    if (names.length === 0) return fine;
    const [first = ''] = names;
    const [plural = '', namespace = '', name = ''] = first.split('/');
    return found({
      code: 'parked',
      what: `the work on ${names.length} objects has stopped: ${names.slice(0, 5).join(', ')}`,
      hint: `kubectl coppice why -n ${namespace} ${plural} ${name}, then unpark`,
    });
  },
};

async function parkedOf(
  transport: Parameters<typeof read>[0],
  kind: Kind,
): Promise<readonly string[]> {
  const response = await read(transport, `${collectionPath(kind)}?limit=5000`);
  return list(at(response.body, 'items'))
    .filter((item) =>
      list(at(item, 'status', 'conditions')).some(
        (one) => at(one, 'type') === 'Parked' && at(one, 'status') === 'True',
      ),
    )
    .map((item) => {
      const { namespace, name } = namesOf(item);
      return `${kindRow(kind).plural}.${apiGroup(kind)}/${namespace}/${name}`;
    });
}

const namesOf = (item: unknown) => ({
  namespace: text(at(item, 'metadata', 'namespace')),
  name: text(at(item, 'metadata', 'name')),
});
