// `spec.env` of a claim in the pod of its Sandbox, as far as the template allows it (spec
// agent-sandbox 2.4.6, R29).
import { isObject, list, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { InjectionPolicy } from '../objects/template.ts';
import { isRefused, refused, type Refused } from './refused.ts';

type Part = 'initContainers' | 'containers';

const rejected = (why: string): Refused =>
  refused('EnvVarsInjectionRejected', `environment variable injection rejected: ${why}`);

/** The pod spec with these variables. */
export function withEnv(
  podSpec: JsonObject,
  env: readonly JsonObject[],
  policy: InjectionPolicy,
): JsonObject | Refused {
  if (env.length === 0) return podSpec;
  if (policy === 'Disallowed') {
    return rejected('environment variable injection is not allowed by the template policy');
  }
  let spec = podSpec;
  for (const variable of env) {
    const target = targetOf(spec, text(variable['containerName']));
    if (isRefused(target)) return target;
    const container = withVariable(target.container, variable, policy);
    if (isRefused(container)) return container;
    const containers = list(spec[target.part]).filter(isObject);
    spec = { ...spec, [target.part]: containers.with(target.index, container) };
  }
  return spec;
}

interface Target {
  readonly part: Part;
  readonly index: number;
  readonly container: JsonObject;
}

/** Without a name the first container of the pod. */
function targetOf(spec: JsonObject, name: string): Target | Refused {
  for (const part of ['initContainers', 'containers'] as const) {
    const containers = list(spec[part]).filter(isObject);
    const index =
      name === ''
        ? Math.min(part === 'containers' ? 0 : -1, containers.length - 1)
        : containers.findIndex((one) => one['name'] === name);
    const container = containers[index];
    if (index >= 0 && container !== undefined) return { part, index, container };
  }
  return refused('ReconcilerError', `container "${name}" is not in the pod of the template`);
}

function withVariable(
  container: JsonObject,
  { name, value }: JsonObject,
  policy: InjectionPolicy,
): JsonObject | Refused {
  const variables = list(container['env']).filter(isObject);
  const index = variables.findIndex((one) => one['name'] === name);
  const variable: JsonObject = { name: text(name), value: text(value) };
  if (policy === 'Allowed') {
    // What comes from there is not known, so nobody can say that nothing is overridden.
    if (list(container['envFrom']).length > 0) {
      return rejected(`container "${text(container['name'])}" has envFrom`);
    }
    if (index >= 0) {
      return refused(
        'ReconcilerError',
        'environment variable override is not allowed by the template policy for variable ' +
          `"${text(name)}"`,
      );
    }
  }
  return {
    ...container,
    env: index < 0 ? [...variables, variable] : variables.with(index, variable),
  };
}
