// Watches in which order objects of several resources go. The order is that of their
// resourceVersions at the end, which etcd draws from one counter for all.
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { type KubeObject, pathOf, type Resource } from './kube.ts';

export interface Order {
  /** Closes the watches; `pods demo-0-w-abcde`, first gone first. */
  end(): Promise<readonly string[]>;
}

export function watchOrder(
  transport: KubeTransport,
  namespace: string,
  resources: readonly Resource[],
): Order {
  const gone: { readonly what: string; readonly version: number }[] = [];
  const closes = resources.map((resource) =>
    transport.watch(`${pathOf(namespace, resource)}?watch=true`, {
      event: ({ type, object }) => {
        if (type !== 'DELETED') return;
        const { metadata } = object as KubeObject & { metadata: { resourceVersion: string } };
        const version = Number(metadata.resourceVersion);
        gone.push({ what: `${resource} ${metadata.name}`, version });
      },
      closed: () => {},
    }),
  );
  return {
    end: async () => {
      closes.forEach((close) => close());
      return gone.toSorted((a, b) => a.version - b.version).map(({ what }) => what);
    },
  };
}
