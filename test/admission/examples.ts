// The valid objects on which the examples of the rule tables are built, and how an example becomes
// what a rule looks at. For the tests of the rules and for docs/admission.md.
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { BindingSubject } from '#src/admission/binding.ts';
import type { Example, Replaced } from '#src/admission/rule.ts';
import type { AdmissionSettings } from '#src/admission/situation.ts';
import { type SetSubject, type UpdateSubject, viewSet } from '#src/admission/view.ts';

export const baseSettings: AdmissionSettings = {
  defaultSchedulerName: 'default-scheduler',
  schedulerNames: ['default-scheduler'],
  topologyAware: false,
  autoMnnvl: false,
};

const clique = (name: string, replicas: number): JsonObject => ({
  name,
  spec: {
    roleName: name,
    replicas,
    minAvailable: 1,
    podSpec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [
        { name: 'main', image: 'registry.example/main:1.0', env: [{ name: 'MODE', value: name }] },
      ],
    },
  },
});

/** As the validating webhook sees it: defaults are filled in. */
export const baseSet: JsonObject = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'base', namespace: 'default' },
  spec: {
    replicas: 1,
    template: {
      cliqueStartupType: 'CliqueStartupTypeAnyOrder',
      terminationDelay: '4h0m0s',
      headlessServiceConfig: { publishNotReadyAddresses: true },
      cliques: [clique('router', 2), clique('leader', 1), clique('worker', 3)],
      podCliqueScalingGroups: [
        { name: 'decode', cliqueNames: ['leader', 'worker'], replicas: 2, minAvailable: 1 },
      ],
    },
  },
};

export const baseBinding: JsonObject = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'ClusterTopologyBinding',
  metadata: { name: 'fabric' },
  spec: {
    levels: [
      { domain: 'block', key: 'topology.io/block' },
      { domain: 'rack', key: 'topology.io/rack' },
    ],
  },
};

/** A copy of the object with the values replaced; `null` takes one away. */
export function replaced(base: JsonObject, values: Replaced = {}): JsonObject {
  const copy = structuredClone(base);
  for (const [path, value] of Object.entries(values)) put(copy, keysOf(path), value);
  return copy;
}

const part = /\['([^']+)'\]|\[(\d+)\]|([^.[\]]+)/g;

const keysOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(part)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );

function put(into: JsonObject, keys: readonly (string | number)[], value: Json): void {
  let here: Json = into;
  keys.forEach((key, depth) => {
    const isLast = depth === keys.length - 1;
    if (Array.isArray(here) && typeof key === 'number') {
      if (isLast && value === null) here.splice(key, 1);
      else if (isLast) here[key] = structuredClone(value);
      here = here[key] ?? null;
    } else if (isObject(here) && typeof key === 'string') {
      if (isLast && value === null) delete here[key];
      else if (isLast) here[key] = structuredClone(value);
      else here[key] ??= {};
      here = here[key] ?? null;
    } else if (value !== null) {
      throw new Error(`${keys.join('.')}: nothing at ${keys.slice(0, depth).join('.')}`);
    }
  });
}

/** What a rule for sets looks at, in the situation of the example. */
export function setSubject(example: Example): SetSubject {
  const { given, before, settings, found = {} } = example;
  return {
    set: viewSet(replaced(baseSet, given)),
    ...(before === undefined ? {} : { old: viewSet(replaced(baseSet, { ...given, ...before })) }),
    settings: { ...baseSettings, ...settings },
    found,
  };
}

export function updateSubject(example: Example): UpdateSubject {
  const subject = setSubject({ before: {}, ...example });
  return { ...subject, old: subject.old ?? subject.set };
}

export const bindingSubject = ({ given, settings }: Example): BindingSubject => ({
  binding: replaced(baseBinding, given),
  settings: { ...baseSettings, ...settings },
});
