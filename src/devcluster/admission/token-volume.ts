// The volume with the account's token, the cluster's CA and the namespace that the ServiceAccount
// admission mounts into every container, unless the pod or its account says otherwise.
import type { Random } from '#actors/ports.ts';
import { listAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { generatedName } from '#src/devcluster/api/verbs/meta.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const prefix = 'kube-api-access-';
/** An hour and seven seconds: the surplus tells these tokens from those that were asked for. */
const tokenSeconds = 3607;
const fileMode = 0o644;

/** In place. A container that mounts something of its own there keeps it. */
export function mountToken(spec: JsonObject, random: Random): void {
  const volumes = objectsAt(spec, 'volumes');
  const present = volumes.map((each) => textAt(each, 'name')).find((each) => isOurs(each));
  const name = present ?? generatedName(prefix, random);
  let mounted = false;
  for (const key of ['initContainers', 'containers']) {
    for (const container of objectsAt(spec, key)) {
      const mounts = objectsAt(container, 'volumeMounts');
      if (mounts.some((each) => textAt(each, 'mountPath') === mountPath)) continue;
      const mount = { name, readOnly: true, mountPath };
      container['volumeMounts'] = [...listAt(container, 'volumeMounts'), mount];
      mounted = true;
    }
  }
  if (mounted && present === undefined) {
    spec['volumes'] = [...listAt(spec, 'volumes'), tokenVolume(name)];
  }
}

const isOurs = (name: string): boolean => name.startsWith(prefix);

const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [
            {
              path: 'namespace',
              fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
            },
          ],
        },
      },
    ],
    defaultMode: fileMode,
  },
});
