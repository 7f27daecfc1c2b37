// Everything that is not a resource: version, health, discovery and OpenAPI. The documents are made
// of the table of resources and kept as text until it changes.
import { kubernetesVersion } from '#src/devcluster/schema/definitions.ts';
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from '#src/devcluster/schema/discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from '#src/devcluster/schema/openapi/document.ts';
import { notAcceptable } from '../errors.ts';
import type { Registry } from '../resources/registry.ts';
import { own, text } from './reply.ts';
import type { Reply } from './reply.ts';

const [major = '', minor = ''] = kubernetesVersion.split('.');

/** What `kubectl version` shows. */
const serverVersion = {
  major,
  minor,
  gitVersion: `v${kubernetesVersion}+coppice`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const health = /^\/(healthz|livez|readyz)(\/|$)/;

/** True for the paths that need no credentials. */
export const isOpen = (pathname: string): boolean =>
  pathname === '/version' || health.test(pathname);

/** Answers GETs of documents; one per server. */
export class Documents {
  readonly #registry: Registry;
  /** JSON text by path and form. */
  readonly #made = new Map<string, string>();
  #generation = -1;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Undefined for a path that there is not. */
  get(pathname: string, accept: string | undefined): Reply | undefined {
    if (pathname === '/version') return own({ ...serverVersion });
    if (isOpen(pathname)) return text('ok');
    requireJson(accept);
    const discovers = pathname === '/api' || pathname === '/apis';
    const aggregated = discovers ? aggregatedVersion(accept) : undefined;
    const type = aggregated === undefined ? 'application/json' : aggregatedType(aggregated);
    const document = this.#document(pathname, aggregated);
    return document === undefined ? undefined : text(document, type);
  }

  #document(pathname: string, aggregated: Aggregated | undefined): string | undefined {
    if (this.#generation !== this.#registry.generation) {
      this.#made.clear();
      this.#generation = this.#registry.generation;
    }
    const key = `${pathname} ${aggregated ?? ''}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#make(pathname, aggregated);
    if (made === undefined) return undefined;
    const written = JSON.stringify(made);
    this.#made.set(key, written);
    return written;
  }

  #make(pathname: string, aggregated: Aggregated | undefined): object | undefined {
    const resources = this.#registry.all;
    const [root, ...rest] = pathname.slice(1).split('/');
    if (root === 'openapi') return this.#openApi(rest);
    if (pathname === '/') return { paths: this.#paths() };
    if (root !== 'api' && root !== 'apis') return undefined;
    if (rest.length === 0) {
      if (aggregated !== undefined) return aggregatedDiscovery(resources, root, aggregated);
      return root === 'api' ? apiVersions(resources, '') : apiGroupList(resources);
    }
    const [group = '', version, ...more] = root === 'api' ? ['', ...rest] : rest;
    if (more.length > 0) return undefined;
    return version === undefined
      ? apiGroup(resources, group)
      : apiResourceList(resources, group, version);
  }

  #openApi([form, ...place]: readonly string[]): object | undefined {
    const resources = this.#registry.all;
    if (form === 'v2' && place.length === 0) return openApiV2(resources);
    if (form !== 'v3') return undefined;
    const [root, ...parts] = place;
    if (root === undefined) return openApiV3Index(resources);
    const [group = '', version = ''] = root === 'api' ? ['', ...parts] : parts;
    return this.#registry.serves(group, version) ? openApiV3(resources, group, version) : undefined;
  }

  #paths(): string[] {
    const groups = this.#registry.all.map(({ group, version }) =>
      group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    );
    const fixed = ['/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];
    return ['/api', '/apis', ...new Set(groups), ...fixed];
  }
}

type Aggregated = 'v2' | 'v2beta1';

const aggregatedType = (version: Aggregated): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** The version of aggregated discovery, when the header has it before plain JSON. */
function aggregatedVersion(accept: string | undefined): Aggregated | undefined {
  for (const range of (accept ?? '').split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    if (type === '*/*' || (type === 'application/json' && parameters.length === 0))
      return undefined;
    if (type !== 'application/json') continue;
    const wanted = ['g=apidiscovery.k8s.io', 'as=APIGroupDiscoveryList'];
    if (!wanted.every((each) => parameters.includes(each))) continue;
    if (parameters.includes('v=v2')) return 'v2';
    if (parameters.includes('v=v2beta1')) return 'v2beta1';
  }
  return undefined;
}

/** kubectl asks for OpenAPI v2 as protobuf alone; there is none, and it then does without. */
function requireJson(accept: string | undefined): void {
  if (accept === undefined || accept === '' || /json|\*\/\*|application\/\*/.test(accept)) return;
  throw notAcceptable(['application/json']);
}
