// The CRDs of Knative that the activator reads, without their schemas.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const rows = {
  Revision: { group: 'serving.knative.dev', version: 'v1', plural: 'revisions' },
  ServerlessService: {
    group: 'networking.internal.knative.dev',
    version: 'v1alpha1',
    plural: 'serverlessservices',
  },
} as const;

export function crdOf(kind: keyof typeof rows): JsonObject {
  const { group, version, plural } = rows[kind];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}
