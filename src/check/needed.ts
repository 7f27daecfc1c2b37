// The kinds that the controller needs with a configuration: those of modules, features and
// scheduler backends that are on. Asked by the checks of CRDs and of permissions.
import { modules } from '#machines/index.ts';
import { apiGroup, backendOf, featureOf, type Kind } from '#machines/kinds.ts';
import type { Configuration } from '#src/config/schema.ts';

export function neededKinds(configuration: Configuration): readonly Kind[] {
  const kinds = modules
    .filter(({ name }) => isOn(configuration, name))
    .flatMap((module) => module.kinds);
  return [...new Set(kinds)].filter((kind) => isNeeded(configuration, kind));
}

const isOn = ({ modules: switches }: Configuration, name: string): boolean =>
  Object.entries(switches).some(([module, isServed]) => module === name && isServed);

function isNeeded(configuration: Configuration, kind: Kind): boolean {
  const backend = backendOf(kind);
  if (backend !== undefined) {
    return configuration.scheduler.profiles.some(({ name }) => name === backend);
  }
  switch (featureOf(kind)) {
    case 'computeDomains':
      return configuration.modules.nvidia || configuration.network.autoMNNVLEnabled;
    case 'sandboxExtensions':
      return configuration.agentSandbox.extensions;
    case undefined:
      return true;
  }
}

/** Served by a CRD, not by the API server itself. */
export const isCustom = (kind: Kind): boolean => {
  const group = apiGroup(kind);
  return group.includes('.') && !group.endsWith('.k8s.io') ? true : customK8s.test(group);
};

const customK8s = /(?:^|\.)agents\.x-k8s\.io$/;

/** The module whose CRDs hold the kind. */
export const moduleOf = (kind: Kind): string =>
  modules.find(({ kinds }) => kinds.includes(kind))?.name ?? 'grove';
