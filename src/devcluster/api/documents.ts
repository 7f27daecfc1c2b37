// Everything that is not a resource: version, health, discovery and OpenAPI. The documents are made
// of the table of resources and kept until it changes.
import type { Json } from '#machines/objects.ts';
import { noSuchPath, notAcceptable } from './errors.ts';

import { own, text } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Registry } from './registry.ts';

/** What `kubectl version` shows. */
export const serverVersion = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.0+coppice',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const open = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** True for the paths that need no credentials. */
export const isOpen = (pathname: string): boolean =>
  open.has(pathname) || /^\/(healthz|livez|readyz)\//.test(pathname);

/** Answers GETs of documents; one per server. */
export class Documents {
  readonly #registry: Registry;
  /** JSON text by path and form. */
  readonly #made = new Map<string, string>();
  #generation = -1;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Throws NotFound for a path that there is not. */
  get(pathname: string, accept: string | undefined): Reply {
    if (pathname === '/version') return own({ ...serverVersion });
    if (isOpen(pathname)) return text('ok');
    if (pathname === '/openapi/v2') requireJson(accept);
    const aggregated = (pathname === '/api' || pathname === '/apis') && wantsAggregated(accept);
    return text(
      this.#document(pathname, aggregated),
      aggregated ? aggregatedType : 'application/json',
    );
  }

  #document(pathname: string, aggregated: boolean): string {
    if (this.#generation !== this.#registry.generation) {
      this.#made.clear();
      this.#generation = this.#registry.generation;
    }
    const key = `${pathname} ${aggregated}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = JSON.stringify(this.#make(pathname));
    this.#made.set(key, made);
    return made;
  }

  #make(pathname: string): Json {
    if (pathname === '/') return { paths: ['/healthz', '/version'] };
    throw noSuchPath();
  }
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** True when aggregated discovery is the first form in the header that the server can make. */
function wantsAggregated(accept: string | undefined): boolean {
  for (const range of (accept ?? '').split(',')) {
    const compact = range.replaceAll(/\s/g, '');
    if (compact === 'application/json' || compact === '*/*') return false;
    if (!compact.startsWith('application/json;')) continue;
    const parameters = compact.split(';');
    if (
      ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'].every((each) =>
        parameters.includes(each),
      )
    ) {
      return true;
    }
  }
  return false;
}

/** kubectl asks for OpenAPI v2 as protobuf first; without JSON beside it there is nothing for it. */
function requireJson(accept: string | undefined): void {
  if (accept === undefined || /json|\*\/\*/.test(accept)) return;
  throw notAcceptable(['application/json']);
}

