// A request as the rules of the proxy see it: verb, kind, name. Read from method, path and body of
// what the controller sends; api-proxy.ts reads each once.
import { allKinds, isClusterScoped, isKind, kindRow } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import { requestInfo, type RequestInfo } from '#src/kube/paths.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';

export type Verb = RequestInfo['verb'];

export interface ProxiedRequest {
  readonly verb: Verb;
  /** `Pod`; the plural where it is no kind of ours (`events`, `leases`), empty for discovery. */
  readonly kind: Kind | (string & {});
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource: string;
  /** Empty: all namespaces, or none. */
  readonly namespace: string;
  /** Of a create it stands in the body; empty for lists and watches. */
  readonly name: string;
  /** With the query, as it goes to the server. */
  readonly path: string;
  /** A page of a list after the first. */
  readonly continues: boolean;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const isWrite = ({ verb }: { readonly verb: Verb }): boolean =>
  verb !== 'get' && verb !== 'list' && verb !== 'watch';

/** `body` is what was sent; other methods than those of Kubernetes are read as GET. */
export function readRequest(method: string, path: string, body: Buffer): ProxiedRequest {
  const known: KubeRequest['method'] = methods.find((one) => one === method) ?? 'GET';
  const { verb, resource } = requestInfo(known, path);
  const [plural = '', subresource = ''] = resource.split('/');
  const [bare = '', query = ''] = path.split('?', 2);
  const parts = bare.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2).map(decodeURIComponent);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  return {
    verb,
    kind: kindOf(plural),
    subresource,
    namespace: isInNamespace ? (rest[1] ?? '') : '',
    name: (isInNamespace ? rest[3] : rest[1]) ?? (verb === 'create' ? nameIn(body) : ''),
    path,
    continues: new URLSearchParams(query).has('continue'),
  };
}

/** A list or watch of a kind in all namespaces as one in a single namespace; others, also of kinds
 *  that have no namespace, as they are. */
export function withinNamespace(request: ProxiedRequest, namespace: string): string {
  const { verb, kind, path } = request;
  const isCollection = (verb === 'list' || verb === 'watch') && isKind(kind);
  if (!isCollection || request.namespace !== '' || isClusterScoped(kind)) return path;
  const { plural } = kindRow(kind);
  return path.replace(`/${plural}`, `/namespaces/${namespace}/${plural}`);
}

function kindOf(plural: string): ProxiedRequest['kind'] {
  return allKinds().find((kind) => kindRow(kind).plural === plural) ?? plural;
}

function nameIn(body: Buffer): string {
  try {
    return text(at(JSON.parse(body.toString('utf8')), 'metadata', 'name'));
  } catch {
    return '';
  }
}
