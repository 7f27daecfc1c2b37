// A cluster that knows the kinds of the module, and what a person asks of it: for the tests of the
// module.
import { namesOf, withSettings } from '#machines/contract/module.ts';
import { apiVersionOf, versionsOf } from '#machines/kinds.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionPath } from '#src/kube/paths.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { printKinds } from './kinds.ts';
import { print } from './module.ts';

export type Kind = keyof typeof printKinds;

export const kinds = namesOf(printKinds);

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** `lacking`: a version of printers that the cluster does not serve. */
export const crdsWithout = (lacking?: string): readonly JsonObject[] =>
  kinds.map((kind) => {
    const isServed = (version: string): boolean => kind !== 'Printer' || version !== lacking;
    return crdOf(kind, versionsOf(kind).filter(isServed));
  });

const crdOf = (kind: Kind, versions: readonly string[]): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${printKinds[kind].plural}.print.example.dev` },
  spec: {
    group: 'print.example.dev',
    scope: 'isClusterScoped' in printKinds[kind] ? 'Cluster' : 'Namespaced',
    names: { kind, plural: printKinds[kind].plural, singular: kind.toLowerCase() },
    versions: versions.map((version, index) => ({
      name: version.slice(version.indexOf('/') + 1),
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      subresources: { status: {} },
    })),
  },
});

export const pathOf = (kind: Kind, name?: string): string =>
  `${collectionPath(kind, 'default')}${name === undefined ? '' : `/${name}`}`;

export const create = (world: World, kind: Kind, name: string, spec: JsonObject): Promise<Stored> =>
  world.create(pathOf(kind), {
    apiVersion: apiVersionOf(kind),
    kind,
    metadata: { name },
    spec,
  });

export async function edit(
  world: World,
  kind: Kind,
  name: string,
  spec: JsonObject,
): Promise<void> {
  await world.client.mergePatch(pathOf(kind, name), { spec });
  await world.clock.advance(5_000);
}

export const statusOf = async (world: World, kind: Kind, name: string): Promise<unknown> =>
  at(await world.get(pathOf(kind, name)), 'status');

export const trays = async (world: World): Promise<number> =>
  (await world.list(pathOf('Tray'))).length;

export const print100 = withSettings(print, { mostTrays: 100 });

export const printerKey = (name: string) =>
  ({ kind: 'printer', namespace: 'default', name }) as const;
export const jobKey = { kind: 'job', namespace: 'default', name: 'thesis' } as const;
