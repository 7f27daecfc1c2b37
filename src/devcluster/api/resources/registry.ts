// Which resources the server serves at the moment: the built-in table and the rows of the
// established CustomResourceDefinitions. server.ts, discovery and OpenAPI read it.
import type { ResourceInfo } from '#src/devcluster/contract.ts';

/** `apps/v1`, `v1`. */
export const apiVersionOf = (resource: Pick<ResourceInfo, 'group' | 'version'>): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** Resources that are another form of the objects of one that is already there. */
const sameObjects: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' };

/** The key of the collection that all versions of a resource share. */
export function storageKey({ group, plural }: Pick<ResourceInfo, 'group' | 'plural'>): string {
  const key = `${group}/${plural}`;
  return sameObjects[key] ?? key;
}

export class Registry {
  readonly #builtin: readonly ResourceInfo[];
  readonly #custom = new Map<string, readonly ResourceInfo[]>();
  #index = new Map<string, ResourceInfo>();
  #all: readonly ResourceInfo[] = [];
  #generation = 0;

  constructor(builtin: readonly ResourceInfo[]) {
    this.#builtin = builtin;
    this.#rebuild();
  }

  /** Grows with every change, so that documents made of the table can be kept until then. */
  get generation(): number {
    return this.#generation;
  }

  get all(): readonly ResourceInfo[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): ResourceInfo | undefined {
    return this.#index.get(`${group}/${version}/${plural}`);
  }

  /** True when anything is served under the group (and version). */
  serves(group: string, version?: string): boolean {
    return this.#all.some(
      (row) => row.group === group && (version === undefined || row.version === version),
    );
  }

  /** Serves the versions of one CRD from now on, in place of what it served before. */
  setCustom(crd: string, rows: readonly ResourceInfo[]): void {
    this.#custom.set(crd, rows);
    this.#rebuild();
  }

  custom(crd: string): readonly ResourceInfo[] {
    return this.#custom.get(crd) ?? [];
  }

  removeCustom(crd: string): void {
    if (this.#custom.delete(crd)) this.#rebuild();
  }

  #rebuild(): void {
    this.#all = [...this.#builtin, ...[...this.#custom.values()].flat()];
    this.#index = new Map(
      this.#all.map((row) => [`${row.group}/${row.version}/${row.plural}`, row]),
    );
    this.#generation++;
  }
}
