// Which requests are for the inspector, where a server serves others too. By itself, so that a
// process without an inspector loads nothing else of it.

/** A path without a query. */
export const isOfPage = (path: string): boolean => /^\/(?:ui(?:\/|$)|$)/.test(path);

export function isOfInspector(url = ''): boolean {
  const [path = ''] = url.split('?');
  return isOfPage(path) || path.startsWith('/api/v1/');
}
