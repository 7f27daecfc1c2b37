// A kubeconfig that leads through a proxy, for controllers as processes behind it.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** `user`: as in a kubeconfig, `{ token }` or `{ tokenFile }`. */
export function kubeconfigThrough(
  proxy: { readonly url: string; readonly ca: string },
  user: JsonObject,
): JsonObject {
  const cluster = {
    server: proxy.url,
    'certificate-authority-data': Buffer.from(proxy.ca).toString('base64'),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster }],
    users: [{ name: 'proxy', user }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    'current-context': 'proxy',
  };
}
