// Who may change what a PodCliqueSet manages (spec api 3.9), as an ordered list of decisions: the
// first that has an opinion counts. Pure; the webhook looks the set up where it gets that far.
// Grove looks it up first; with the cheap decisions before, the controller's own writes cost no
// request, and fewer writes depend on one.
import { label } from '#machines/grove/objects/labels.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { Looked } from './situation.ts';

/** The PodCliqueSet that an object is part of. */
export type FoundSet = Looked<{ annotations: unknown }>;

export interface AuthorizationSubject {
  /** CREATE, UPDATE, DELETE or CONNECT. */
  readonly operation: string;
  /** Plural of the resource: `podcliques`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  /** The new object for CREATE and the old one otherwise, so that taking labels away does not
   *  help. */
  readonly object: unknown;
  /** User name of the controller, and those who may do as it does. */
  readonly trusted: readonly string[];
  /** Absent before it was looked up. */
  readonly set?: FoundSet;
}

const reasons = { 400: 'BadRequest', 403: 'Forbidden', 500: 'InternalError' } as const;
type Code = keyof typeof reasons;

export type Decision =
  | { readonly allowed: true; readonly warning?: string }
  | {
      readonly allowed: false;
      readonly code: Code;
      readonly reason: (typeof reasons)[Code];
      readonly message: string;
    };

export interface AuthorizationRule {
  readonly id: string;
  readonly when: string;
  /** `allow`, `allow with a warning`, `deny`, `error 400`, `error 500`. */
  readonly verdict: string;
  readonly decide: (subject: AuthorizationSubject) => Decision | undefined;
  /** Changes to a request that is denied, with which this rule is the one that decides. */
  readonly example: Partial<AuthorizationSubject>;
  readonly says: Decision;
}

export const protectionAnnotation = 'grove.io/disable-managed-resource-protection';

const allow: Decision = { allowed: true };
const warn = (warning: string): Decision => ({ allowed: true, warning });
const error = (code: Code, message: string): Decision => ({
  allowed: false,
  code,
  reason: reasons[code],
  message,
});

const operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE'];

/** Name of the PodCliqueSet that the object is part of; blank where it says none. */
export const ownerOf = ({ object }: AuthorizationSubject): string =>
  text(at(object, 'metadata', 'labels', label.partOf));

const named = ({ resource, namespace, name }: AuthorizationSubject): string =>
  `${resource} "${namespace}/${name}"`;

const noLabel = (subject: AuthorizationSubject): string =>
  `${named(subject)} has no label ${label.partOf}, so it is not protected`;
const noSet = (subject: AuthorizationSubject): string =>
  `there is no PodCliqueSet "${ownerOf(subject)}", so ${named(subject)} is not protected`;

/** Those that need no lookup. */
const early: readonly AuthorizationRule[] = [
  {
    id: 'A1',
    when: 'the operation is CONNECT',
    verdict: 'allow',
    decide: ({ operation }) => (operation === 'CONNECT' ? allow : undefined),
    example: { operation: 'CONNECT' },
    says: allow,
  },
  {
    id: 'A2',
    when: 'the operation is unknown',
    verdict: 'error 500',
    decide: ({ operation }) =>
      operations.includes(operation)
        ? undefined
        : error(500, `the operation "${operation}" is unknown; known are ${operations.join(', ')}`),
    example: { operation: 'PATCH' },
    says: error(500, 'the operation "PATCH" is unknown; known are CREATE, UPDATE, DELETE'),
  },
  {
    id: 'A3',
    when: 'the request has no object: the new one for CREATE, else the old one',
    verdict: 'error 400',
    decide: (subject) =>
      isObject(at(subject.object, 'metadata'))
        ? undefined
        : error(400, `${named(subject)}: the request holds no object with metadata`),
    example: { object: null },
    says: error(
      400,
      'podcliques "default/base-0-router": the request holds no object with metadata',
    ),
  },
  {
    id: 'A4',
    when: 'the user is the controller, or one of authorizer.exemptServiceAccountUserNames',
    verdict: 'allow',
    decide: ({ user, trusted }) => (trusted.includes(user) ? allow : undefined),
    example: { user: 'system:serviceaccount:grove:grove-operator' },
    says: allow,
  },
  {
    id: 'A5',
    when: 'a pod is deleted',
    verdict: 'allow',
    decide: ({ operation, resource }) =>
      operation === 'DELETE' && resource === 'pods' ? allow : undefined,
    example: { operation: 'DELETE', resource: 'pods' },
    says: allow,
  },
  {
    id: 'A6',
    when: `the object has no label \`${label.partOf}\``,
    verdict: 'allow with a warning',
    decide: (subject) => (ownerOf(subject) === '' ? warn(noLabel(subject)) : undefined),
    example: { object: { metadata: {} } },
    says: warn(
      `podcliques "default/base-0-router" has no label ${label.partOf}, so it is not protected`,
    ),
  },
];

/** Those that depend on the PodCliqueSet. */
const late: readonly AuthorizationRule[] = [
  {
    id: 'A7',
    when: 'the PodCliqueSet does not exist',
    verdict: 'allow with a warning',
    decide: (subject) => (subject.set?.is === 'missing' ? warn(noSet(subject)) : undefined),
    example: { set: { is: 'missing' } },
    says: warn(
      'there is no PodCliqueSet "base", so podcliques "default/base-0-router" is not protected',
    ),
  },
  {
    id: 'A8',
    when: 'the PodCliqueSet cannot be read',
    verdict: 'error 500',
    decide: (subject) => {
      const why = subject.set?.is === 'unknown' ? subject.set.why : 'it was not looked up';
      return subject.set?.is === 'there'
        ? undefined
        : error(500, `the PodCliqueSet "${ownerOf(subject)}" cannot be read: ${why}`);
    },
    example: { set: { is: 'unknown', why: 'the server answered 503' } },
    says: error(500, 'the PodCliqueSet "base" cannot be read: the server answered 503'),
  },
  {
    id: 'A9',
    when: `the PodCliqueSet has \`${protectionAnnotation}: "true"\``,
    verdict: 'allow',
    decide: ({ set }) =>
      set?.is === 'there' && at(set.annotations, protectionAnnotation) === 'true'
        ? allow
        : undefined,
    example: { set: { is: 'there', annotations: { [protectionAnnotation]: 'true' } } },
    says: allow,
  },
  {
    id: 'A10',
    when: 'any other user creates, updates or deletes',
    verdict: 'deny',
    decide: (subject) =>
      error(
        403,
        `${named(subject)} is managed by the PodCliqueSet "${ownerOf(subject)}": "${subject.user}"` +
          ` may not ${subject.operation.toLowerCase()} it; change the PodCliqueSet, or annotate it` +
          ` with ${protectionAnnotation}: "true"`,
      ),
    example: {},
    says: error(
      403,
      'podcliques "default/base-0-router" is managed by the PodCliqueSet "base": "alice" may not' +
        ` update it; change the PodCliqueSet, or annotate it with ${protectionAnnotation}: "true"`,
    ),
  },
];

export const authorizationRules: readonly AuthorizationRule[] = [...early, ...late];

const first = (
  rules: readonly AuthorizationRule[],
  subject: AuthorizationSubject,
): Decision | undefined => {
  for (const { decide } of rules) {
    const decision = decide(subject);
    if (decision !== undefined) return decision;
  }
  return undefined;
};

/** Undefined: the PodCliqueSet `ownerOf(subject)` must be looked up, then ask `decide`. */
export const decideEarly = (subject: AuthorizationSubject): Decision | undefined =>
  first(early, subject);

/** With the set looked up. The last rule has an opinion on everything. */
export const decide = (subject: AuthorizationSubject): Decision =>
  first(authorizationRules, subject) ?? error(500, 'no rule decides this request');
