// `coppice/client`: reads and writes the objects of Coppice with their types, through the
// CustomObjectsApi of @kubernetes/client-node or anything that has its methods. Plain JavaScript,
// since Node strips no types of what lies in node_modules; the types are in index.d.mts beside it.
import { resources } from './resources.mjs';

export { resources };

/** Beyond this somebody else writes the object all the time. */
const maxConflicts = 5;

/** @param {unknown} error  as client-node throws it: the status of the answer is its `code` */
const isConflict = (error) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 409;

/**
 * @param {keyof import('./kinds.d.mts').Kinds} kind
 * @param {string | undefined} namespace
 */
function placeOf(kind, namespace) {
  const { scope, ...resource } = resources[kind];
  if (scope === 'Cluster') return { resource, namespace: undefined };
  if (namespace === undefined || namespace === '') {
    throw new TypeError(`a ${kind} is in a namespace: name it`);
  }
  return { resource, namespace };
}

/** @type {import('./index.d.mts').ClientOf} */
export const clientOf = (api) => {
  /** @type {import('./index.d.mts').Client} */
  const client = {
    async get(kind, { name, namespace: within }) {
      const { resource, namespace } = placeOf(kind, within);
      return namespace === undefined
        ? api.getClusterCustomObject({ ...resource, name })
        : api.getNamespacedCustomObject({ ...resource, namespace, name });
    },
    async list(kind, { namespace, ...selectors } = {}) {
      const { scope, ...resource } = resources[kind];
      return scope === 'Cluster' || namespace === undefined
        ? api.listClusterCustomObject({ ...resource, ...selectors })
        : api.listNamespacedCustomObject({ ...resource, namespace, ...selectors });
    },
    async create(body) {
      const { resource, namespace } = placeOf(body.kind, body.metadata.namespace);
      return namespace === undefined
        ? api.createClusterCustomObject({ ...resource, body })
        : api.createNamespacedCustomObject({ ...resource, namespace, body });
    },
    async replace(body) {
      const { resource, namespace } = placeOf(body.kind, body.metadata.namespace);
      const { name } = body.metadata;
      if (name === undefined) throw new TypeError(`the ${body.kind} has no name`);
      return namespace === undefined
        ? api.replaceClusterCustomObject({ ...resource, name, body })
        : api.replaceNamespacedCustomObject({ ...resource, namespace, name, body });
    },
    async edit(kind, place, change) {
      for (let conflicts = 0; ; conflicts += 1) {
        const object = await client.get(kind, place);
        change(object);
        try {
          return await client.replace(object);
        } catch (error) {
          if (!isConflict(error) || conflicts === maxConflicts) throw error;
        }
      }
    },
    async remove(kind, { name, namespace: within }) {
      const { resource, namespace } = placeOf(kind, within);
      await (namespace === undefined
        ? api.deleteClusterCustomObject({ ...resource, name })
        : api.deleteNamespacedCustomObject({ ...resource, namespace, name }));
    },
  };
  return client;
};
