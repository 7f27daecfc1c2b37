// From credentials to a user: bearer tokens of service accounts and the subject of a client
// certificate that the cluster's own CA signed. Both transports and TokenReview ask here.
import { textAt } from '#machines/kubernetes/fields.ts';
import type { Core } from '#src/devcluster/api/call.ts';
import { serviceAccountUser } from './user.ts';
import type { User } from './user.ts';

/** The user of a token; undefined: not valid (any more) or for other audiences. */
export function userOfToken(
  core: Core,
  token: string,
  audiences: readonly string[] = [core.tokens.audience],
): User | undefined {
  const subject = core.tokens.verify(token, core.environment.clock.now());
  if (subject === undefined) return undefined;
  if (!subject.audiences.some((each) => audiences.includes(each))) return undefined;
  const { namespace, name, uid, secret } = subject;
  const account = core.store.collection('/serviceaccounts').get(namespace, name);
  if (account === undefined || textAt(account.metadata, 'uid') !== uid) return undefined;
  const held = secret === undefined || core.store.collection('/secrets').get(namespace, secret);
  return held === undefined ? undefined : serviceAccountUser(namespace, name, uid);
}

/** The common name is the user, the organisations are the groups. */
export const userOfCertificate = (commonName: string, organisations: readonly string[]): User => ({
  name: commonName,
  groups: [...organisations, 'system:authenticated'],
});
