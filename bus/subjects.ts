// The one grammar of subjects (architecture, section 4); parse and format are inverse of each
// other. Both implementations of the port and every test take their subjects from here.
import { factKinds, type FactKind } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { questionName } from '#machines/contract/question.ts';
import { allActorKinds, isActorKind } from '#machines/kinds.ts';
import { decoded, describe, notDecoded, type Decoded } from './decoded.ts';
import { busLimits } from './limits.ts';

export type Subject =
  /** `coppice.fact.<kind>.<namespace>.<name>.<what>` */
  | { readonly type: 'fact'; readonly about: ActorKey; readonly what: FactKind }
  /** `coppice.tell.<shard>.<kind>.<namespace>.<name>` */
  | { readonly type: 'tell'; readonly shard: number; readonly to: ActorKey }
  /** `coppice.ask.<kind>.<namespace>.<name>.<question>` */
  | { readonly type: 'ask'; readonly about: ActorKey; readonly question: string }
  /** `coppice.owner.<shard>.<kind>.<namespace>.<name>.<question>` */
  | {
      readonly type: 'owner';
      readonly shard: number;
      readonly about: ActorKey;
      readonly question: string;
    };

/** What to subscribe to for all messages of a type. */
export const subjectsOf = {
  all: 'coppice.>',
  fact: 'coppice.fact.>',
  tell: 'coppice.tell.>',
  ask: 'coppice.ask.>',
} as const;

/** Without parsing it. */
export const isTell = (subject: string): boolean => subject.startsWith('coppice.tell.');

/** Of one question, to any actor. */
export const askSubjects = (question: string): string => `coppice.ask.*.*.*.${question}`;

/** Of all facts about an actor. */
export function factSubjects(about: ActorKey): Decoded<string> {
  const subject = formatSubject({ type: 'fact', about, what: 'ended' });
  return subject.ok ? decoded(subject.value.replace(/\.ended$/, '.*')) : subject;
}

/** What the owner of a shard subscribes to. */
export const ownerSubjects = (shard: number): string => `coppice.owner.${shard}.>`;

/** An error only where a name is so long that no server would take the subject. */
export function formatSubject(subject: Subject): Decoded<string> {
  const key = subject.type === 'tell' ? subject.to : subject.about;
  const namespace = escapeToken(key.namespace);
  if (namespace.length > busLimits.maxTokenLength) return tooLong('namespace', namespace);
  const name = escapeToken(key.name);
  if (name.length > busLimits.maxTokenLength) return tooLong('name', name);
  const text = compose(subject, `${key.kind}.${namespace}.${name}`);
  return text.length > busLimits.maxSubjectLength ? tooLong('subject', text) : decoded(text);
}

/** Total: what is not of the grammar yields which token is wrong, and what would be right. */
export function parseSubject(text: string): Decoded<Subject> {
  if (text.length > busLimits.maxSubjectLength) return tooLong('subject', text);
  const [prefix, type, ...rest] = text.split('.');
  if (prefix !== 'coppice')
    return notDecoded('subject', `must begin with coppice, ${describe(text)}`);
  if (type === 'owner') return parseOwner(rest);
  if (type !== 'fact' && type !== 'tell' && type !== 'ask') {
    return notDecoded('subject.type', `must be one of fact, tell, ask, owner, ${describe(type)}`);
  }
  if (rest.length !== 4) {
    return notDecoded('subject', `must have 6 tokens, has ${rest.length + 2}: ${describe(text)}`);
  }
  const [a = '', b = '', c = '', d = ''] = rest;
  return type === 'tell' ? parseTell(a, b, c, d) : parseAbout(type, [a, b, c], d);
}

function compose(subject: Subject, path: string): string {
  if (subject.type === 'fact') return `coppice.fact.${path}.${subject.what}`;
  if (subject.type === 'ask') return `coppice.ask.${path}.${subject.question}`;
  if (subject.type === 'owner') {
    return `coppice.owner.${subject.shard}.${path}.${subject.question}`;
  }
  return `coppice.tell.${subject.shard}.${path}`;
}

function parseTell(shard: string, kind: string, namespace: string, name: string): Decoded<Subject> {
  if (!isShard(shard)) return noShard(shard);
  const to = parseKey(kind, namespace, name);
  return to.ok ? decoded({ type: 'tell', shard: Number(shard), to: to.value }) : to;
}

function parseOwner(rest: readonly string[]): Decoded<Subject> {
  const [shard = '', kind = '', namespace = '', name = '', last = ''] = rest;
  if (rest.length !== 5) return notDecoded('subject', `must have 7 tokens, has ${rest.length + 2}`);
  if (!isShard(shard)) return noShard(shard);
  const asked = parseAbout('ask', [kind, namespace, name], last);
  if (!asked.ok || asked.value.type !== 'ask') return asked;
  return decoded({ ...asked.value, type: 'owner', shard: Number(shard) });
}

const isShard = (token: string): boolean =>
  /^(?:0|[1-9]\d{0,4})$/.test(token) && Number(token) <= busLimits.maxShard;

const noShard = (token: string) =>
  notDecoded('subject.shard', `must be 0 to ${busLimits.maxShard}, ${describe(token)}`);

function parseAbout(
  type: 'fact' | 'ask',
  [kind, namespace, name]: [string, string, string],
  last: string,
): Decoded<Subject> {
  const about = parseKey(kind, namespace, name);
  if (!about.ok) return about;
  if (type === 'fact') {
    const what = factKinds.find((candidate) => candidate === last);
    if (what === undefined) return notOneOf('subject.what', factKinds, last);
    return decoded({ type, about: about.value, what });
  }
  // Which ones there are is known to the actor.
  if (!questionName.test(last)) {
    return notDecoded('subject.question', `must be a word of up to 32 letters, ${describe(last)}`);
  }
  return decoded({ type, about: about.value, question: last });
}

function parseKey(kind: string, namespace: string, name: string): Decoded<ActorKey> {
  if (!isActorKind(kind)) return notOneOf('subject.kind', allActorKinds(), kind);
  const inNamespace = unescapeToken(namespace);
  if (inNamespace === undefined) return badToken('subject.namespace', namespace);
  const named = unescapeToken(name);
  if (named === undefined) return badToken('subject.name', name);
  return decoded({ kind, namespace: inNamespace, name: named });
}

const notOneOf = (field: string, allowed: readonly string[], actual: string) =>
  notDecoded(field, `must be one of ${allowed.join(', ')}, ${describe(actual)}`);

const badToken = (field: string, token: string) =>
  notDecoded(field, `must hold letters, digits, - _ : and %XX (a dot is %2E), ${describe(token)}`);

const tooLong = (field: string, text: string) =>
  notDecoded(field, `is too long for a subject: ${text.length} characters`);

// One token of a subject and any string, one to one. NATS gives `.`, `*`, `>` and white space a
// meaning, Kubernetes lets names hold dots: those are written as `%2E`, everything ordinary stays
// as it is, so that a subject can be read and typed.

const plain = /^[A-Za-z0-9_:-]+$/;
const special = /[^A-Za-z0-9_:-]/g;
const wellFormed = /^(?:[A-Za-z0-9_:-]|%[0-9A-F]{2}|%u[0-9A-F]{4})+$/;
const escapes = /%(?:u([0-9A-F]{4})|([0-9A-F]{2}))/g;

/** The empty string as a token; tokens themselves may not be empty. */
const empty = '%';

/** Any string as a token: `%XX` for a UTF-16 unit below 256, `%uXXXX` above, `%` for nothing. */
export function escapeToken(text: string): string {
  if (plain.test(text)) return text;
  return text === '' ? empty : text.replace(special, escapeUnit);
}

/** The string behind a token; undefined for what `escapeToken` would never have written. */
export function unescapeToken(token: string): string | undefined {
  if (token.length > busLimits.maxTokenLength) return undefined;
  if (plain.test(token)) return token;
  if (token === empty) return '';
  if (!wellFormed.test(token)) return undefined;
  const text = token.replace(escapes, (_, wide: string | undefined, narrow: string | undefined) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow ?? '', 16)),
  );
  // One string has one token: `%41` for `A` is refused, or two subjects would mean one actor.
  return escapeToken(text) === token ? text : undefined;
}

// Without the `u` flag a match is one UTF-16 unit, so halves of a pair survive on their own too.
function escapeUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  const hex = code.toString(16).toUpperCase();
  return code < 0x100 ? `%${hex.padStart(2, '0')}` : `%u${hex.padStart(4, '0')}`;
}
