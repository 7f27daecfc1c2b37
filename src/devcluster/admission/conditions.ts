// matchConditions of webhooks: CEL expressions over the request that decide whether the webhook is
// called at all. Compiled once per expression.
import { Environment } from '@marcbachmann/cel-js';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Webhook } from './webhook.ts';

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
});
for (const name of ['object', 'oldObject', 'request']) environment.registerVariable(name, 'dyn');

const compiled = new Map<string, (context: Record<string, unknown>) => unknown>();
/** Expressions kept; a cluster has a handful. */
const compiledLimit = 1_000;

function compile(expression: string): (context: Record<string, unknown>) => unknown {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const evaluate = environment.parse(expression);
  if (compiled.size >= compiledLimit) compiled.clear();
  compiled.set(expression, evaluate);
  return evaluate;
}

/** CEL tells int from double; integers of JSON are ints. */
function celValue(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, celValue(each)]));
}

/**
 * Whether all conditions hold. One that is false decides, whatever the others do; otherwise an
 * error in one is thrown as an Error with the name of the condition.
 */
export function conditionsHold(webhook: Webhook, request: JsonObject): boolean {
  if (webhook.conditions.length === 0) return true;
  const context = {
    request: celValue(request),
    object: celValue(request['object']),
    oldObject: celValue(request['oldObject']),
  };
  let failure: Error | undefined;
  for (const { name, expression } of webhook.conditions) {
    try {
      if (compile(expression)(context) !== true) return false;
    } catch (error) {
      failure ??= new Error(`match condition "${name}": ${String(error)}`, { cause: error });
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}
