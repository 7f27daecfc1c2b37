// The resources that are questions: token and access reviews. They are answered and never stored.
// Everyone who is authenticated may do everything, so access reviews always say yes.
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { userOfToken } from '#src/devcluster/auth/authenticate.ts';
import type { User } from '#src/devcluster/auth/user.ts';
import type { Call } from '../call.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { readObject } from '../wire/body.ts';
import { own } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';

type Answer = (call: Call, sent: JsonObject) => JsonObject;

const whyAllowed = 'the embedded cluster allows everything to everyone who is authenticated';

const answers: Readonly<Record<string, Answer>> = {
  'authentication.k8s.io/tokenreviews': (call, sent) => reviewToken(call, sent),
  'authentication.k8s.io/selfsubjectreviews': (call) => ({ userInfo: userInfo(call.user) }),
  'authorization.k8s.io/selfsubjectaccessreviews': () => ({ allowed: true, reason: whyAllowed }),
  'authorization.k8s.io/subjectaccessreviews': () => ({ allowed: true, reason: whyAllowed }),
  'authorization.k8s.io/localsubjectaccessreviews': () => ({ allowed: true, reason: whyAllowed }),
  'authorization.k8s.io/selfsubjectrulesreviews': () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
};

/** True for resources that only answer. */
export const isReview = (group: string, plural: string): boolean => `${group}/${plural}` in answers;

export function review(call: Call): Reply {
  const { resource } = call;
  const expected = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { metadata, ...sent } = readObject(call.request, expected);
  const status = answers[`${resource.group}/${resource.plural}`]?.(call, sent) ?? {};
  const creationTimestamp = rfc3339(call.core.environment.clock.now());
  return own({ ...sent, metadata: { ...metadata, creationTimestamp }, status }, 201);
}

export const userInfo = (user: User): JsonObject => ({
  username: user.name,
  ...(user.uid === undefined ? {} : { uid: user.uid }),
  groups: [...user.groups],
});

function reviewToken(call: Call, sent: JsonObject): JsonObject {
  const spec = objectAt(sent, 'spec');
  const asked = listAt(spec, 'audiences').filter((each) => typeof each === 'string');
  const audiences = asked.length > 0 ? asked : [call.core.tokens.audience];
  const user = userOfToken(call.core, textAt(spec, 'token'), audiences);
  if (user === undefined) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(user), audiences };
}
