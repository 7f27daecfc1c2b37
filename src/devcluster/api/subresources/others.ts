// Subresources of single kinds: the finalize of namespaces and the token of service accounts.
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionOf } from '../call.ts';
import type { Call } from '../call.ts';
import { invalid, notFound } from '../errors.ts';
import { tokenSeconds, tokenSecondsLeast } from '../limits.ts';
import { copyJson } from '../store/copy.ts';
import { checkPreconditions } from '../verbs/meta.ts';
import { replace, requireName } from '../verbs/update.ts';
import { readObject } from '../wire/body.ts';
import { own, stored } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';

/** PUT namespaces/{name}/finalize: sets `spec.finalizers`; the last one gone, so is the
 *  namespace. */
export async function finalize(call: Call): Promise<Reply> {
  const sent = readObject(call.request, { apiVersion: 'v1', kind: 'Namespace' });
  requireName(call, sent);
  const finalizers = listAt(objectAt(sent, 'spec'), 'finalizers');
  const object = await replace(call, 'UpdateOptions', (live) => {
    checkPreconditions(call.resource, live, {
      uid: textAt(sent.metadata, 'uid'),
      resourceVersion: textAt(sent.metadata, 'resourceVersion'),
    });
    const next: Stored = copyJson(live);
    next['spec'] = { ...objectAt(next, 'spec'), finalizers: copyJson(finalizers) };
    return { object: next };
  });
  return stored(object);
}

/** POST serviceaccounts/{name}/token: a TokenRequest, answered with a signed token. */
export function requestToken(call: Call): Reply {
  const { namespace, name } = call.target;
  const account = collectionOf(call).get(namespace, name);
  if (account === undefined) throw notFound(call.resource, name);
  const request = readObject(call.request, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
  });
  const spec = objectAt(request, 'spec');
  const seconds = spec?.['expirationSeconds'] ?? tokenSeconds;
  if (typeof seconds !== 'number' || seconds < tokenSecondsLeast) {
    const detail = 'may not specify a duration less than 10 minutes';
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      { type: 'FieldValueInvalid', field: 'spec.expirationSeconds', value: seconds, detail },
    ]);
  }
  const sent = listAt(spec, 'audiences').filter((each) => typeof each === 'string');
  const audiences = sent.length > 0 ? sent : [call.core.tokens.audience];
  const expires = call.core.environment.clock.now() + seconds * 1000;
  const token = call.core.tokens.issue({
    namespace,
    name,
    uid: textAt(account.metadata, 'uid'),
    audiences,
    expires,
  });
  const { metadata, ...rest } = request;
  const meta = { ...metadata, name, namespace, creationTimestamp: null };
  return own(
    {
      ...rest,
      metadata: meta,
      spec: { ...spec, audiences, expirationSeconds: seconds },
      status: { token, expirationTimestamp: rfc3339(expires) },
    },
    201,
  );
}
