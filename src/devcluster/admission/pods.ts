// The built-in admission of pods that needs a look at other objects: ServiceAccount and Priority.
// The write path calls it before the pod's own preparation. The account `default` is taken to be
// there, for a controller makes it which a simulation may do without.
import type { Random } from '#actors/ports.ts';
import { ensureObject, isTrue, listAt, numberAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { mountToken } from './token-volume.ts';

/** Completes the pod in place; the reason where it is forbidden. */
export function admitPod(store: Store, pod: Stored, random: Random): string | undefined {
  const spec = ensureObject(pod, 'spec');
  const namespace = textAt(pod.metadata, 'namespace');
  return admitAccount(store, namespace, spec, random) ?? admitPriority(store, spec);
}

function admitAccount(
  store: Store,
  namespace: string,
  spec: JsonObject,
  random: Random,
): string | undefined {
  const name = textAt(spec, 'serviceAccountName') || 'default';
  const account = store.collection('/serviceaccounts').get(namespace, name);
  if (account === undefined && name !== 'default') {
    const missing = `serviceaccount "${name}" not found`;
    return `error looking up service account ${namespace}/${name}: ${missing}`;
  }
  const wanted = spec['automountServiceAccountToken'] ?? account?.['automountServiceAccountToken'];
  if (wanted !== false) mountToken(spec, random);
  const secrets = listAt(account, 'imagePullSecrets');
  if (secrets.length > 0 && listAt(spec, 'imagePullSecrets').length === 0) {
    spec['imagePullSecrets'] = structuredClone(secrets);
  }
  return undefined;
}

function admitPriority(store: Store, spec: JsonObject): string | undefined {
  const classes = store.collection('scheduling.k8s.io/priorityclasses');
  const asked = textAt(spec, 'priorityClassName');
  const found =
    asked === ''
      ? classes.list().find((each) => isTrue(each, 'globalDefault'))
      : classes.get('', asked);
  if (found === undefined && asked !== '') return `no PriorityClass with name ${asked} was found`;
  const value = found === undefined ? 0 : (numberAt(found, 'value') ?? 0);
  const given = numberAt(spec, 'priority');
  if (given !== undefined && given !== value) {
    const source = 'priority admission controller computed';
    return (
      `the integer value of priority (${given}) must not be provided in pod spec;` +
      ` ${source} ${value} from the given PriorityClass name`
    );
  }
  spec['priority'] = value;
  if (found === undefined) return undefined;
  spec['priorityClassName'] = textAt(found.metadata, 'name');
  spec['preemptionPolicy'] ??= textAt(found, 'preemptionPolicy') || 'PreemptLowerPriority';
  return undefined;
}
