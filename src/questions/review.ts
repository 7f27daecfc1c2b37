// Who asks, and whether they may: the API server says both, by a TokenReview and a
// SubjectAccessReview. Whoever may `get` an object may ask about it, and whoever may `patch` it may
// park its actor. Nothing is remembered, so a right that is withdrawn is gone at once. Asked by
// server.ts for every question, also for one that another process has let through already.
import type { Answer, Ask, Clock } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { actorId } from '#machines/contract/address.ts';
import { isCommand } from '#machines/contract/question.ts';
import { apiGroup, kindRow, objectKind } from '#machines/kinds.ts';
import { at, object, text, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { reviewMs } from './limits.ts';
import type { Question } from './question.ts';

export type Verdict =
  | { readonly ok: true; readonly user: string }
  | { readonly ok: false; readonly answer: Answer };

/** Never rejects. */
export type Review = (question: Question) => Promise<Verdict>;

type PostReview = (
  kind: 'TokenReview' | 'SubjectAccessReview',
  spec: JsonObject,
) => Promise<JsonObject>;

const paths = {
  TokenReview: 'authentication.k8s.io/v1/tokenreviews',
  SubjectAccessReview: 'authorization.k8s.io/v1/subjectaccessreviews',
} as const;

export const reviewer =
  (transport: KubeTransport, clock: Clock): Review =>
  async ({ ask, token }) => {
    const abort = new AbortController();
    const cancel = clock.at(clock.now() + reviewMs, () =>
      abort.abort(new Error(`no answer within ${reviewMs} ms`)),
    );
    const post: PostReview = async (kind, spec) => {
      const [group = '', version = '', plural = ''] = paths[kind].split('/');
      const response = await transport.request({
        method: 'POST',
        path: `/apis/${group}/${version}/${plural}`,
        body: { apiVersion: `${group}/${version}`, kind, spec },
        signal: abort.signal,
      });
      if (!isSuccess(response)) throw new Error(failureOf(response).message);
      return object(at(response.body, 'status'));
    };
    try {
      return await judge(post, ask, token);
    } catch (error) {
      const why = unreachable(error).message;
      const message = `the API server does not say who asks, or whether they may: ${why}`;
      return { ok: false, answer: refusal('SERVER_ERROR', message) };
    } finally {
      cancel();
    }
  };

async function judge(post: PostReview, ask: Ask, token: string): Promise<Verdict> {
  const reviewed = await post('TokenReview', { token });
  const user = object(reviewed['user']);
  const name = text(user['username']);
  if (reviewed['authenticated'] !== true || name === '') {
    return { ok: false, answer: refusal('UNAUTHORIZED', 'the token is not valid') };
  }
  const { uid, groups, extra } = user;
  const resourceAttributes = attributesOf(ask);
  const access = await post('SubjectAccessReview', {
    user: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    resourceAttributes,
  });
  if (access['allowed'] === true) return { ok: true, user: name };
  const { verb, resource } = resourceAttributes;
  const reason = textOf(access['reason']) ?? '';
  const what = `${name} may not ${verb} ${resource}, which ${ask.question} of ${actorId(ask.about)} needs`;
  const message = reason === '' ? what : `${what}: ${reason}`;
  return { ok: false, answer: refusal('FORBIDDEN', message) };
}

function attributesOf(ask: Ask) {
  const { kind, namespace, name } = ask.about;
  const own = objectKind(kind);
  const verb = isCommand(ask.question) ? 'patch' : 'get';
  return { group: apiGroup(own), resource: kindRow(own).plural, verb, namespace, name };
}
