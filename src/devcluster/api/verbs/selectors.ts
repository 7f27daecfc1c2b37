// Label and field selectors of lists, watches and deletecollection: parsed once per request,
// evaluated per object. The grammar and the error texts are those of the Kubernetes API.
import { listAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { badRequest } from '../errors.ts';

export type Test = (object: Stored) => boolean;

type Requirement = (labels: JsonObject) => boolean;

/** `app=web,tier!=db,env in (a,b),!legacy,n>5`; undefined for an empty selector. */
export function parseLabelSelector(text: string): Test | undefined {
  const requirements = splitTopLevel(text).map((part) => labelRequirement(part, text));
  if (requirements.length === 0) return undefined;
  return (object) => {
    const labels = object.metadata['labels'];
    const present = isObject(labels) ? labels : noLabels;
    return requirements.every((holds) => holds(present));
  };
}

const noLabels: JsonObject = {};
const key = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?';
const setBased = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const equality = new RegExp(`^(${key})\\s*(==|!=|=|>|<)\\s*([A-Za-z0-9._-]*)$`);
const existence = new RegExp(`^(!?)\\s*(${key})$`);

function labelRequirement(part: string, whole: string): Requirement {
  const set = setBased.exec(part);
  if (set !== null) return setRequirement(set);
  const compared = equality.exec(part);
  if (compared !== null) return comparison(compared, whole);
  const exists = existence.exec(part);
  if (exists !== null) {
    const [, not = '', label = ''] = exists;
    return (labels) => (labels[label] === undefined) === (not === '!');
  }
  throw badSelector(whole, `found '${part}', expected a requirement such as key=value`);
}

function setRequirement([, label = '', operator, list = '']: RegExpExecArray): Requirement {
  const values = new Set(list.split(',').map((value) => value.trim()));
  const isIn = (labels: JsonObject): boolean => {
    const value = labels[label];
    return typeof value === 'string' && values.has(value);
  };
  return operator === 'in' ? isIn : (labels) => !isIn(labels);
}

function comparison(match: RegExpExecArray, whole: string): Requirement {
  const [, label = '', operator = '', value = ''] = match;
  if (operator === '!=') return (labels) => labels[label] !== value;
  if (operator === '=' || operator === '==') return (labels) => labels[label] === value;
  const bound = Number(value);
  if (!Number.isInteger(bound)) throw badSelector(whole, `'${value}' is not an integer`);
  return (labels) => {
    const number = typeof labels[label] === 'string' ? Number(labels[label]) : Number.NaN;
    return operator === '>' ? number > bound : number < bound;
  };
}

const badSelector = (selector: string, why: string): Error =>
  badRequest(`unable to parse requirement: ${why} (label selector "${selector}")`);

/** Splits at commas outside of parentheses; empty parts are dropped. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === undefined || (sign === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

const fieldTerm = /^([^=!]+?)\s*(==|!=|=)\s*(.*)$/;

/** `metadata.name=x,status.phase!=Running`; undefined for an empty selector. */
export function parseFieldSelector(text: string, resource: ResourceInfo): FieldTest | undefined {
  const terms = text
    .split(/(?<!\\),/)
    .filter((part) => part.trim() !== '')
    .map((part) => parseFieldTerm(part.trim(), resource));
  if (terms.length === 0) return undefined;
  const holds = (object: Stored): boolean => {
    const own = terms.some((term) => term.own) ? selectable(resource, object) : noFields;
    return terms.every(
      ({ field, equals, value }) => (fieldOf(object, field, own) === value) === equals,
    );
  };
  const named = terms.find((term) => term.field === 'metadata.name' && term.equals);
  return { holds, name: named?.value };
}

export interface FieldTest {
  readonly holds: Test;
  /** The one name that can match, when the selector says so. */
  readonly name: string | undefined;
}

interface FieldTerm {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
  readonly own: boolean;
}

const noFields: Readonly<Record<string, string>> = {};

const selectable = (resource: ResourceInfo, object: Stored): Readonly<Record<string, string>> =>
  resource.strategy.selectableFields?.(object) ?? noFields;

function fieldOf(object: Stored, field: string, own: Readonly<Record<string, string>>): string {
  if (field === 'metadata.name') return String(object.metadata['name'] ?? '');
  if (field === 'metadata.namespace') return String(object.metadata['namespace'] ?? '');
  return own[field] ?? '';
}

function parseFieldTerm(part: string, resource: ResourceInfo): FieldTerm {
  const match = fieldTerm.exec(part);
  if (match === null) {
    throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
  }
  const [, field = '', operator, raw = ''] = match;
  const value = raw.replaceAll(/\\([\\,=])/g, '$1');
  const isGeneral = field === 'metadata.name' || field === 'metadata.namespace';
  if (!isGeneral && !(field in selectable(resource, { metadata: {} }))) {
    const general = '"metadata.name", "metadata.namespace"';
    throw badRequest(
      resource.custom || resource.strategy.selectableFields !== undefined
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only ${general}`,
    );
  }
  return { field, equals: operator !== '!=', value, own: !isGeneral };
}

/** A LabelSelector object (`matchLabels`, `matchExpressions`) as a test; an empty one means all. */
export function parseSelectorObject(selector: JsonObject): Test {
  const equal = Object.entries(textsAt(selector, 'matchLabels'));
  const sets = objectsAt(selector, 'matchExpressions');
  return ({ metadata }) => {
    const labels = textsAt(metadata, 'labels');
    return (
      equal.every(([key, value]) => labels[key] === value) &&
      sets.every((each) => isMet(each, labels[textAt(each, 'key')]))
    );
  };
}

/** Whether a requirement of a selector, by its operator, holds for the value of its key. */
export function isMet(requirement: JsonObject, value: string | undefined): boolean {
  const values = listAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** A LabelSelector as the string form; a string stays as it is. */
export function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector;
  if (!isObject(selector)) return '';
  const equal = Object.entries(textsAt(selector, 'matchLabels')).map(
    ([key, value]) => `${key}=${value}`,
  );
  const sets = objectsAt(selector, 'matchExpressions').map((each) => {
    const key = textAt(each, 'key');
    const values = listAt(each, 'values').join(',');
    switch (textAt(each, 'operator')) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equal, ...sets].join(',');
}
