// Refuses requests that a page of another origin makes a browser send, and names of hosts that only
// a foreign DNS server would lead here (DNS rebinding). Asked for every request, before anything
// else. What needs a token needs one besides.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Those of a loopback listener, which is reached by no other. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

export interface Reached {
  readonly headers: IncomingHttpHeaders;
  readonly isSecure: boolean;
  /** Names besides, in lower case. */
  readonly hosts: readonly string[];
  /** True: any IP address will do, as no name leads to one. */
  readonly byAddress: boolean;
}

/** Why the request is refused; undefined: it is not. */
export function foreign(reached: Reached): string | undefined {
  const { headers, isSecure } = reached;
  const host = (headers.host ?? '').toLowerCase();
  if (!isOurs(reached, host)) {
    return `"${host.slice(0, 100)}" is no name of this server; inspector.hosts may list it`;
  }
  const own = `http${isSecure ? 's' : ''}://${host}`;
  const { origin } = headers;
  if (origin !== undefined && !isSameOrigin(origin, own)) {
    return `pages of ${origin.slice(0, 100)} may not use this server`;
  }
  return undefined;
}

/** For what pages read and send; whoever follows a link to a page comes from anywhere. */
export const isCrossSite = (headers: IncomingHttpHeaders): boolean => {
  const site = headers['sec-fetch-site'] ?? 'none';
  return site !== 'none' && site !== 'same-origin';
};

/** A proxy in front may speak TLS where this server does not. */
const isSameOrigin = (origin: string, own: string): boolean =>
  origin === own || origin === own.replace(/^http:/, 'https:');

function isOurs({ hosts, byAddress }: Reached, host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '');
  if (loopbackHosts.includes(name) || hosts.includes(name)) return true;
  return byAddress && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
