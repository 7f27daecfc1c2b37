// Whether the chart's permissions cover a request of the controller: what they grant is the kinds
// table's (test/charts/rbac.test.ts). Asked of each request by request-rules.ts, so that a machine
// with a new kind of write shows here and not on somebody's cluster.
import type { Operation } from '#machines/contract/kind.ts';
import { allKinds, isWatched, kindRow } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import { groupPath, requestInfo } from '#src/kube/paths.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, listAt, textAt } from '../fields.ts';

const operations: Readonly<Record<string, Operation>> = {
  create: 'create',
  patch: 'patch',
  delete: 'delete',
  'update status': 'status',
};

/** Several rows may select objects of one kind of the API. */
const kindsOf = (path: string, plural: string): readonly Kind[] =>
  allKinds().filter(
    (kind) =>
      kindRow(kind).plural === plural && path.startsWith(`${groupPath(kindRow(kind).apiVersion)}/`),
  );

/** A sentence that says what the chart lacks, or undefined. What is watched may be read. */
export function notGranted({ method, path, body }: KubeRequest): string | undefined {
  const { verb, resource } = requestInfo(method, path);
  const [plural = '', subresource = ''] = resource.split('/');
  const kinds = kindsOf(path, plural);
  const kind = kinds.join(' or ');
  if (kinds.length === 0) return undefined;
  if (method === 'GET') {
    return kinds.some(isWatched) ? undefined : `${verb} ${resource} is not granted`;
  }
  const operation = operations[[verb, subresource].filter(Boolean).join(' ')];
  const writes = kinds.flatMap((one): readonly (Operation | undefined)[] => kindRow(one).writes);
  if (!writes.includes(operation)) return `${verb} ${resource} is not in the writes of ${kind}`;
  if (verb !== 'create') return undefined;
  const owners = kinds.flatMap((one): readonly string[] => kindRow(one).owners);
  const owner = listAt(body, 'metadata', 'ownerReferences')
    .filter((reference) => at(reference, 'blockOwnerDeletion') === true)
    .map((reference) => textAt(reference, 'kind'))
    .find((name) => !owners.includes(name));
  return owner === undefined ? undefined : `${owner} is not in the owners of ${kind}`;
}
