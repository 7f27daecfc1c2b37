// What a request is about, read from its path: for those who judge requests at the API server.

export interface Place {
  /** `group/plural`, as the store names collections. */
  readonly collection: string;
  readonly plural: string;
  /** Empty where the resource has none. */
  readonly namespace: string;
  /** Empty for a create. */
  readonly name: string;
  readonly subresource: string;
}

/** What a path of the API names. */
export function placeOf(path: string): Place {
  const parts = (path.split('?', 1)[0] ?? '').split('/').slice(1);
  const isCore = parts[0] === 'api';
  const rest = parts.slice(isCore ? 2 : 3);
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : '';
  const [plural = '', name = '', subresource = ''] = rest.slice(namespace === '' ? 0 : 2);
  const group = isCore ? '' : (parts[1] ?? '');
  return {
    collection: `${group}/${plural}`,
    plural,
    namespace,
    name: decodeURIComponent(name),
    subresource,
  };
}
