// The one place that rewrites headers, of requests on their way to a pod and of answers on their
// way back (spec activator 1.13, H-81, H-82). Lists are flat: name, value, name, value.
import { traceParentOf } from './trace.ts';

/** Of one connection, not of the request. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Set anew, or for the activator itself. */
const ours = [
  'host',
  'expect',
  'x-forwarded-for',
  'k-network-hash',
  'k-proxy-request',
  'k-passthrough-lb',
  'knative-serving-namespace',
  'knative-serving-revision',
];

/** By the length of a name, which tells most names apart without a look at their letters. */
class Names {
  readonly #names: ReadonlySet<string>;
  readonly #lengths: readonly boolean[];

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    const longest = Math.max(...names.map(({ length }) => length));
    this.#lengths = Array.from({ length: longest + 1 }, (_, length) =>
      names.some((name) => name.length === length),
    );
  }

  /** In any case. */
  has(name: string): boolean {
    return this.#lengths[name.length] === true && this.#names.has(name.toLowerCase());
  }
}

const notForwarded = new Names([...hopByHop, ...ours]);
const notTrailers = new Names([...hopByHop, ...ours, 'content-length']);
const notReturned = new Names(hopByHop.filter((name) => name !== 'trailer'));

/** Names that a `Connection` header lists are of that connection too. */
function listedIn(connection: string | undefined): Names | undefined {
  if (connection === undefined || connection.length === 0) return undefined;
  const names = connection.toLowerCase().split(',');
  const listed = names.map((name) => name.trim()).filter((name) => !isUsual(name));
  return listed.length === 0 ? undefined : new Names(listed);
}

const isUsual = (option: string): boolean =>
  option === 'keep-alive' || option === 'close' || option === 'upgrade' || option === '';

export interface Forwarded {
  /** As it came: name, value, name, value. */
  readonly raw: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What the client asked for, with its port. */
  readonly host: string;
  readonly clientAddress: string;
  /** The name that a mesh routes by; undefined: it routes by address. */
  readonly passthroughHost: string | undefined;
}

/** Headers for the pod, in the order in which they came, ours at the end. */
export function forwardedHeaders(request: Forwarded): string[] {
  const { raw, headers, host, clientAddress, passthroughHost } = request;
  const listed = listedIn(one(headers['connection']));
  const made: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (notForwarded.has(name) || name.startsWith(':') || listed?.has(name) === true) continue;
    made.push(name, raw[at + 1] ?? '');
  }
  const before = one(headers['x-forwarded-for']);
  made.push(
    'x-forwarded-for',
    before === undefined ? clientAddress : `${before}, ${clientAddress}`,
    'k-proxy-request',
    'activator',
  );
  if (headers['k-original-host'] === undefined) made.push('k-original-host', host);
  // Whoever reads trailers says so, and pods of gRPC insist on it.
  if (one(headers['te'])?.toLowerCase().includes('trailers') === true) made.push('te', 'trailers');
  const traceParent = traceParentOf(headers);
  if (traceParent !== undefined) made.push('traceparent', traceParent);
  if (passthroughHost !== undefined) made.push('host', passthroughHost, 'k-passthrough-lb', 'true');
  return made;
}

/** Of a request: those that frame it, or that are for the activator, are none (RFC 9110, 6.5.1). */
export function forwardedTrailers(raw: readonly string[]): string[] {
  const made: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (name.startsWith(':') || notTrailers.has(name)) continue;
    made.push(name, raw[at + 1] ?? '');
  }
  return made;
}

type Answered = Readonly<Record<string, string | string[] | undefined>>;

/** Headers for the client. Names are in lower case already. */
export function returnedHeaders(headers: Answered): string[] {
  const listed = listedIn(one(headers['connection']));
  const hasLength = headers['content-length'] !== undefined;
  const made: string[] = [];
  for (const name in headers) {
    if (notReturned.has(name) || listed?.has(name) === true) continue;
    // Trailers need chunks.
    if (name === 'trailer' && hasLength) continue;
    const value = headers[name];
    if (typeof value === 'string') made.push(name, value);
    else for (const each of value ?? []) made.push(name, each);
  }
  return made;
}

/** Of HTTP/2, where names are in lower case and nothing is of a connection. */
export function withoutPseudo(raw: readonly string[]): string[] {
  const made: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!name.startsWith(':')) made.push(name, raw[at + 1] ?? '');
  }
  return made;
}

/** By name, as Node takes hints and trailers. */
export function grouped(flat: readonly string[]): Record<string, string | string[]> {
  const made: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? '';
    const value = flat[at + 1] ?? '';
    const before = made[name];
    made[name] = before === undefined ? value : [before, value].flat();
  }
  return made;
}

export const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value;
