// The bearer token by which the controller learns who asks. Most kubeconfigs hold one, or a plugin
// that makes one. Who has a client certificate cannot show it to the controller: a token for the
// controller's own ServiceAccount is asked for then, for ten minutes, which only those get who may
// have all its rights anyway; what the user may do is checked beforehand.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { apiGroup, kindRow, objectKind } from '#machines/kinds.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { PluginError, refusedBy } from '../errors.ts';
import type { Session } from '../session.ts';
import { tokenSeconds } from './limits.ts';

export interface Identity {
  readonly token: string;
  /** True: the token is not the user's own. */
  readonly isBorrowed: boolean;
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Rejects where there is none to be had. `given`: of `--token`. */
export async function identityOf(
  { connection, transport }: Session,
  given: string | undefined,
  account: Account,
): Promise<Identity> {
  if (given !== undefined) return { token: given, isBorrowed: false };
  const { headers } = await connection.credentials.current();
  const [, own] = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '') ?? [];
  // Who acts as somebody else must not be answered as himself.
  if (own !== undefined && headers['impersonate-user'] === undefined) {
    return { token: own, isBorrowed: false };
  }
  return { token: await borrowed(transport, account), isBorrowed: true };
}

async function borrowed(transport: KubeTransport, { namespace, name }: Account): Promise<string> {
  const accounts = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts`;
  const response = await transport.request({
    method: 'POST',
    path: `${accounts}/${encodeURIComponent(name)}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: tokenSeconds },
    },
  });
  if (isSuccess(response)) return text(at(response.body, 'status', 'token'));
  const why = failureOf(response).message;
  throw new PluginError(
    'forbidden',
    `the kubeconfig holds a client certificate, which proves nothing to the controller, and no ` +
      `token of ServiceAccount ${namespace}/${name} can be had: ${why}. ` +
      `Give a token with --token, such as that of: kubectl create token <serviceaccount>`,
  );
}

/** Who the API server takes the user for. */
export async function userName(transport: KubeTransport): Promise<string> {
  const apiVersion = 'authentication.k8s.io/v1';
  const response = await transport.request({
    method: 'POST',
    path: `/apis/${apiVersion}/selfsubjectreviews`,
    body: { apiVersion, kind: 'SelfSubjectReview' },
  });
  return text(at(response.body, 'status', 'userInfo', 'username'));
}

/** Rejects where the user may not do to the object what the controller would ask for. */
export async function refuseUnlessAllowed(
  transport: KubeTransport,
  key: ActorKey,
  verb: 'get' | 'patch',
): Promise<void> {
  const apiVersion = 'authorization.k8s.io/v1';
  const kind = objectKind(key.kind);
  const { plural: resource } = kindRow(kind);
  const { namespace, name } = key;
  const resourceAttributes = { group: apiGroup(kind), resource, verb, namespace, name };
  const response = await transport.request({
    method: 'POST',
    path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
    body: { apiVersion, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  });
  if (!isSuccess(response)) throw refusedBy(response, 'say what you may do');
  if (at(response.body, 'status', 'allowed') === true) return;
  throw new PluginError('forbidden', `you may not ${verb} ${resource}: ${actorId(key)}`);
}
