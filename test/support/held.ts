// What an object holds on to: private fields and what closures have captured, too. Shows by how
// much a Map, a list or a Set has grown in the life of a system, wherever it is. Used where tests
// ask what is left when everything has gone.
import { Session } from 'node:inspector';
import type { Runtime } from 'node:inspector';

/** By path: the size of a collection, a switch, and whether a number is 0. */
export type Held = ReadonlyMap<string, unknown>;

interface Child {
  readonly name: string;
  readonly value: unknown;
}

/** `stops`: objects that are not looked into, such as the ports. */
export function heldBy(root: object, stops: Iterable<object> = []): Held {
  const session = new Session();
  session.connect();
  const seen = new Set<object>(stops);
  const held = new Map<string, unknown>();
  try {
    const open = [{ name: '', value: root as unknown }];
    for (const { name: path, value } of open) {
      if (typeof value === 'boolean' || value === undefined) held.set(path, value);
      if (typeof value === 'number') held.set(path, value === 0 ? 0 : 'a number');
      if (!isObject(value) || seen.has(value)) continue;
      seen.add(value);
      if (isCollection(value)) held.set(path, sizeOf(value));
      for (const { name, value: inner } of childrenOf(value, session)) {
        open.push({ name: path === '' ? name : `${path}.${name}`, value: inner });
      }
    }
  } finally {
    session.disconnect();
  }
  return held;
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

type Collection = Map<unknown, unknown> | Set<unknown> | readonly unknown[];

const isCollection = (value: object): value is Collection =>
  value instanceof Map || value instanceof Set || Array.isArray(value);

const sizeOf = (value: Collection): number => ('size' in value ? value.size : value.length);

function childrenOf(value: object, session: Session): readonly Child[] {
  // Of collections the size is told; what is in them is looked into all the same.
  if (isCollection(value)) {
    const items = value instanceof Map ? [...value.values()] : [...value];
    return items.map((item, index) => ({ name: `[${index}]`, value: item }));
  }
  const shown = Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, own]) =>
    'value' in own && name !== 'prototype' ? [{ name, value: own.value as unknown }] : [],
  );
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? shown : [...shown, ...hiddenIn(value, session)];
}

/** Private fields of an object, and variables that a function has captured. */
function hiddenIn(value: object, session: Session): readonly Child[] {
  const { privateProperties = [], internalProperties = [] } = propertiesOf(
    remote(value, session),
    session,
  );
  const scopes = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
  const captured =
    scopes === undefined
      ? []
      : propertiesOf(scopes, session).result.flatMap(({ value: scope }) =>
          scope?.objectId !== undefined && scope.description?.startsWith('Closure') === true
            ? propertiesOf(scope.objectId, session).result
            : [],
        );
  return [...privateProperties, ...captured].flatMap(({ name, value: inner }) =>
    inner === undefined ? [] : [{ name, value: local(inner, session) }],
  );
}

const exchange: { it?: unknown } = {};
const place = Symbol.for('coppice.test.held');

function remote(value: object, session: Session): string {
  exchange.it = value;
  Reflect.set(globalThis, place, exchange);
  const { result } = post(session, 'Runtime.evaluate', {
    expression: `globalThis[Symbol.for('coppice.test.held')].it`,
  }) as Runtime.EvaluateReturnType;
  if (result.objectId === undefined) throw new Error('an object without an id');
  return result.objectId;
}

function local({ objectId, value }: Runtime.RemoteObject, session: Session): unknown {
  if (objectId === undefined) return value as unknown;
  post(session, 'Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function () {
      globalThis[Symbol.for('coppice.test.held')].it = this;
    }`,
  });
  return exchange.it;
}

interface Properties extends Runtime.GetPropertiesReturnType {
  readonly privateProperties?: readonly Runtime.PropertyDescriptor[];
}

const propertiesOf = (objectId: string, session: Session): Properties =>
  post(session, 'Runtime.getProperties', { objectId, ownProperties: true }) as Properties;

/** Answers at once: the inspector of the own thread does. */
function post(session: Session, method: string, params: object): unknown {
  let answer: { readonly error: Error | null; readonly result: unknown } | undefined;
  session.post(method, params, (error, result) => {
    answer = { error, result };
  });
  if (answer === undefined) throw new Error(`${method} has not answered`);
  if (answer.error !== null) throw answer.error;
  return answer.result;
}
