// Who asks, and whether they may: the API server says both, by a TokenReview and a
// SubjectAccessReview. Whoever may `get` an object may ask about it, whoever may `patch` it may
// park its actor, and whoever may `get` the path `/metrics` may scrape it. Nothing is remembered,
// so a right that is withdrawn is gone at once. Asked by server.ts for every question, also for one
// that another process has let through already.
import type { Ask, Clock } from '#actors/ports.ts';
import { refusal, type RefusedAnswer } from '#bus/answers.ts';
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
  | { readonly ok: false; readonly answer: RefusedAnswer };

/** Each never rejects. */
export interface Review {
  question(question: Question): Promise<Verdict>;
  /** Of a request with this token that is about no object. */
  path(token: string, attributes: PathAttributes): Promise<Verdict>;
}

/** The user of a token, as a SubjectAccessReview takes one. */
export interface Identity {
  readonly name: string;
  readonly spec: JsonObject;
}

export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Empty: all. */
  readonly namespace: string;
  /** Absent: all. */
  readonly name?: string;
}

/** Of an address that is no object's. */
interface PathAttributes {
  readonly path: string;
  readonly verb: string;
}

/** Each rejects where the API server does not say. */
export interface Reviews {
  /** Undefined: the token is not valid. */
  identify(token: string): Promise<Identity | undefined>;
  /** `reason`: of the API server, may be empty. */
  access(
    who: Identity,
    attributes: ResourceAttributes | PathAttributes,
  ): Promise<{ readonly allowed: boolean; readonly reason: string }>;
}

const paths = {
  TokenReview: 'authentication.k8s.io/v1/tokenreviews',
  SubjectAccessReview: 'authorization.k8s.io/v1/subjectaccessreviews',
} as const;

/** Until the signal. */
export function reviews(transport: KubeTransport, signal: AbortSignal): Reviews {
  const post = async (kind: keyof typeof paths, spec: JsonObject): Promise<JsonObject> => {
    const [group = '', version = '', plural = ''] = paths[kind].split('/');
    const response = await transport.request({
      method: 'POST',
      path: `/apis/${group}/${version}/${plural}`,
      body: { apiVersion: `${group}/${version}`, kind, spec },
      signal,
    });
    if (!isSuccess(response)) throw new Error(failureOf(response).message);
    return object(at(response.body, 'status'));
  };
  return {
    identify: async (token) => {
      const reviewed = await post('TokenReview', { token });
      const { username, uid, groups, extra } = object(reviewed['user']);
      const name = text(username);
      if (reviewed['authenticated'] !== true || name === '') return undefined;
      const spec = {
        user: name,
        ...(uid === undefined ? {} : { uid }),
        ...(groups === undefined ? {} : { groups }),
        ...(extra === undefined ? {} : { extra }),
      };
      return { name, spec };
    },
    access: async ({ spec }, attributes) => {
      const about = 'path' in attributes ? 'nonResourceAttributes' : 'resourceAttributes';
      const access = await post('SubjectAccessReview', { ...spec, [about]: { ...attributes } });
      return { allowed: access['allowed'] === true, reason: textOf(access['reason']) ?? '' };
    },
  };
}

/** What `judge` says, or that the API server does not say anything in time. Never rejects. */
export async function reviewing<T>(
  clock: Clock,
  judge: (signal: AbortSignal) => Promise<T>,
): Promise<T | { readonly ok: false; readonly answer: RefusedAnswer }> {
  const abort = new AbortController();
  const cancel = clock.at(clock.now() + reviewMs, () =>
    abort.abort(new Error(`no answer within ${reviewMs} ms`)),
  );
  try {
    return await judge(abort.signal);
  } catch (error) {
    const why = unreachable(error).message;
    const message = `the API server does not say who asks, or whether they may: ${why}`;
    return { ok: false, answer: refusal('SERVER_ERROR', message) };
  } finally {
    cancel();
  }
}

export const reviewer = (transport: KubeTransport, clock: Clock): Review => ({
  question: ({ ask, token }) =>
    reviewing(clock, (signal) => judge(reviews(transport, signal), token, needed(ask))),
  path: (token, attributes) =>
    reviewing(clock, (signal) => judge(reviews(transport, signal), token, ofPath(attributes))),
});

export const notValid = refusal('UNAUTHORIZED', 'the token is not valid');

interface Needed {
  readonly attributes: ResourceAttributes | PathAttributes;
  /** For a refusal: `get podcliques, which why of podclique/default/one needs`. */
  readonly what: string;
}

const ofPath = (attributes: PathAttributes): Needed => ({
  attributes,
  what: `${attributes.verb} the path ${attributes.path}`,
});

function needed(ask: Ask): Needed {
  const attributes = attributesOf(ask);
  const { verb, resource } = attributes;
  const what = `${verb} ${resource}, which ${ask.question} of ${actorId(ask.about)} needs`;
  return { attributes, what };
}

async function judge(api: Reviews, token: string, { attributes, what }: Needed): Promise<Verdict> {
  const who = await api.identify(token);
  if (who === undefined) return { ok: false, answer: notValid };
  const { allowed, reason } = await api.access(who, attributes);
  if (allowed) return { ok: true, user: who.name };
  const refused = `${who.name} may not ${what}`;
  const message = reason === '' ? refused : `${refused}: ${reason}`;
  return { ok: false, answer: refusal('FORBIDDEN', message) };
}

function attributesOf(ask: Ask): ResourceAttributes {
  const { kind, namespace, name } = ask.about;
  const own = objectKind(kind);
  const verb = isCommand(ask.question) ? 'patch' : 'get';
  return { group: apiGroup(own), resource: kindRow(own).plural, verb, namespace, name };
}
