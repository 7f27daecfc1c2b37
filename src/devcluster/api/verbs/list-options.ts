// The options of lists and watches (limit, continue, resourceVersion and its match, selectors),
// checked as kube-apiserver checks them, so that a client's mistake fails here as it would there.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Call } from '../call.ts';
import { badRequest, invalid, unexplained } from '../errors.ts';
import { namespaceOf } from '../store/collection.ts';
import { isOn } from '../wire/request.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { FieldTest, Test } from './selectors.ts';

export interface ListOptions {
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: ContinueToken | undefined;
  /** undefined: not given. */
  readonly version: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  readonly selection: Selection;
}

/** Which objects of a collection are meant. */
export interface Selection {
  readonly namespace: string | undefined;
  readonly labels: Test | undefined;
  readonly fields: FieldTest | undefined;
}

export const isSelective = (selection: Selection): boolean =>
  selection.labels !== undefined || selection.fields !== undefined;

/** True when the object is meant, whatever its namespace. */
export const isSelected = (selection: Selection, object: Parameters<Test>[0]): boolean =>
  (selection.namespace === undefined || namespaceOf(object) === selection.namespace) &&
  (selection.labels === undefined || selection.labels(object)) &&
  (selection.fields === undefined || selection.fields.holds(object));

/** Where a paged list goes on. `version` -1: at the latest version, inconsistently. */
export interface ContinueToken {
  readonly version: number;
  readonly start: string;
}

export const encodeContinue = (token: ContinueToken): string =>
  Buffer.from(
    JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.version, start: token.start }),
  ).toString('base64url');

function decodeContinue(text: string): ContinueToken {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && 'rv' in value && 'start' in value) {
      const { rv, start } = value;
      if (typeof rv === 'number' && typeof start === 'string') return { version: rv, start };
    }
  } catch {
    // Falls through to the refusal.
  }
  const why = 'continue key is not valid: it was not made by this server';
  throw badRequest(`invalid continue token: ${why}`);
}

export function readSelection({ query, target, resource }: Call): Selection {
  return {
    namespace: target.namespace === '' ? undefined : target.namespace,
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? '', resource),
  };
}

export function readListOptions(call: Call): ListOptions {
  const { query } = call;
  const of = isOn(query.get('watch')) ? 'other' : 'list';
  const version = readVersion(query.get('resourceVersion') ?? '', of);
  const asked = query.get('continue') ?? '';
  const match = readMatch(query, version, asked);
  if (asked !== '' && version !== undefined && version > 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return {
    limit: readCount(query, 'limit'),
    continueToken: asked === '' ? undefined : decodeContinue(asked),
    version,
    match,
    selection: readSelection(call),
  };
}

export function readCount(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null || text === '') return 0;
  const value = Number(text);
  // A negative count is none, as in Kubernetes.
  if (Number.isInteger(value)) return Math.max(0, value);
  throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
}

/** Of a list; a get or a watch takes one that is none for a fault of the server (500). */
export function readVersion(text: string, of: 'list' | 'other' = 'list'): number | undefined {
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const parsing = `strconv.ParseUint: parsing "${text}": invalid syntax`;
  const why = `resourceVersion: Invalid value: "${text}": ${parsing}`;
  throw of === 'list' ? badRequest(`invalid resource version: ${why}`) : unexplained(why);
}

function readMatch(
  query: URLSearchParams,
  version: number | undefined,
  continued: string,
): ListOptions['match'] {
  const match = query.get('resourceVersionMatch') ?? '';
  const field = 'resourceVersionMatch';
  if (match === '') return undefined;
  if (isOn(query.get('watch')) && !isOn(query.get('sendInitialEvents'))) {
    const why = `${field} is forbidden for watch unless sendInitialEvents is provided`;
    throw badListOption(field, 'FieldValueForbidden', undefined, why);
  }
  if (version === undefined && !isOn(query.get('watch'))) {
    const why = `${field} is forbidden unless resourceVersion is provided`;
    throw badListOption(field, 'FieldValueForbidden', undefined, why);
  }
  if (continued !== '') {
    const why = `${field} is forbidden when continue is provided`;
    throw badListOption(field, 'FieldValueForbidden', undefined, why);
  }
  if (match === 'NotOlderThan') return match;
  if (match !== 'Exact') {
    const why = 'supported values: "Exact", "NotOlderThan", ""';
    throw badListOption(field, 'FieldValueNotSupported', match, why);
  }
  if (version !== 0) return match;
  const why = `${field} "exact" is forbidden for resourceVersion "0"`;
  throw badListOption(field, 'FieldValueForbidden', undefined, why);
}

export function badListOption(
  field: string,
  type: FieldError['type'],
  value: unknown,
  detail: string,
): Error {
  const error: FieldError = { type, field, value, detail };
  return invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [error]);
}
