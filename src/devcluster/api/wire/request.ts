// From an HTTP request to what it asks for: verb, resource, subresource, names and options. Pure
// parsing; whether the resource exists is for the registry to say.
import type { Json } from '#machines/kubernetes/objects.ts';
import type { User } from '#src/devcluster/auth/user.ts';

/** A request as both transports hand it in. */
export interface ApiRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly user: User | undefined;
}

export type RequestBody =
  | { readonly kind: 'none' }
  /** From the wire, not yet parsed. */
  | { readonly kind: 'text'; readonly text: string }
  /** The same in protobuf. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** From this process; a private copy already. */
  | { readonly kind: 'value'; readonly value: Json };

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** The address of a request for a resource. */
export interface Target {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Empty: none. */
  readonly subresource: string;
  /** Empty for cluster-wide requests. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
}

export interface Address {
  readonly pathname: string;
  readonly query: URLSearchParams;
}

export function parseAddress(path: string): Address {
  const mark = path.indexOf('?');
  const pathname = mark < 0 ? path : path.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1));
  return { pathname: pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname, query };
}

/** The target of a resource path; undefined for everything else (discovery, health, ...). */
export function parseTarget(method: string, { pathname, query }: Address): Target | undefined {
  const parts = decodeParts(pathname);
  if (parts === undefined) return undefined;
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group = '', version = ''] = core ? ['', parts[1]] : [parts[1], parts[2]];
  const rest = parts.slice(core ? 2 : 3);
  if (version === '' || rest.length === 0) return undefined;
  const place = placeOf(rest);
  if (place === undefined) return undefined;
  const verb = verbOf(method, place.name, query);
  return verb === undefined ? undefined : { verb, group, version, ...place };
}

function decodeParts(pathname: string): string[] | undefined {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

type Place = Pick<Target, 'plural' | 'subresource' | 'namespace' | 'name'>;

const namespaceSubresources = new Set(['status', 'finalize']);

function placeOf(rest: readonly string[]): Place | undefined {
  const [first = '', second = '', third = '', ...more] = rest;
  const scoped = first === 'namespaces' && third !== '' && !isNamespaceOwn(third, more);
  if (scoped) {
    const [name = '', subresource = '', ...excess] = more;
    if (excess.length > 0) return undefined;
    return { namespace: second, plural: third, name, subresource };
  }
  if (more.length > 0) return undefined;
  return { namespace: '', plural: first, name: second, subresource: third };
}

const isNamespaceOwn = (third: string, more: readonly string[]): boolean =>
  namespaceSubresources.has(third) && more.length === 0;

function verbOf(method: string, name: string, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (name !== '') return 'get';
      return isOn(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** True for `watch`, `watch=1`, `watch=true`, as Go's strconv.ParseBool with "set" for empty. */
export const isOn = (value: string | null): boolean =>
  value !== null && ['', '1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
