// Objects and shorthands for the tests of the strategies.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '#src/devcluster/contract.ts';
import { strategies } from '#src/devcluster/strategies/index.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

export const environment = { clock: new VirtualClock(), random: seeded(1) };

export function strategyOf(key: string): Strategy {
  const strategy = strategies[key];
  if (strategy === undefined) throw new Error(`no strategy for ${key}`);
  return strategy;
}

/** The object as the server would store it: defaulted and prepared. */
export function created(key: string, object: Stored): Stored {
  const copy = structuredClone(object);
  const strategy = strategyOf(key);
  strategy.defaults?.(copy, environment);
  strategy.prepareCreate?.(copy, environment);
  return copy;
}

/** What is wrong with a new object, as `field: detail`. */
export function complaints(key: string, object: Stored): string[] {
  return lines(strategyOf(key).validate?.(created(key, object), '') ?? []);
}

/** What is wrong with a change of a stored object. */
export function changeComplaints(
  key: string,
  object: Stored,
  change: (copy: Stored) => void,
): string[] {
  const old = created(key, object);
  const copy = structuredClone(old);
  change(copy);
  const strategy = strategyOf(key);
  strategy.defaults?.(copy, environment);
  strategy.prepareUpdate?.(copy, old, '');
  return lines(strategy.validateUpdate?.(copy, old, '') ?? []);
}

export const lines = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.field}: ${error.detail}`.replace(/: $/, ''));

export const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): Stored => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec },
});

/** The spec of an object, to change it in a test. */
export function specOf(object: Stored): JsonObject {
  const spec = object['spec'];
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw new Error('no spec');
  return spec;
}
