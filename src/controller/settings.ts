// The part of the configuration that machines depend on.
import type { MachineSettings } from '#machines/behaviour.ts';
import { modules } from '#machines/index.ts';
import type { Module } from '#machines/module.ts';
import { backendOf, featureOf, isWatched, type Feature, type Kind } from '#machines/kinds.ts';
import type { Configuration } from '#src/config/schema.ts';

export const machineSettings = (
  configuration: Configuration,
  version: string,
): MachineSettings => ({
  defaultSchedulerName: configuration.scheduler.defaultProfileName,
  schedulerNames: enabledSchedulers(configuration),
  initContainerImage: initImage(process.env['GROVE_INIT_CONTAINER_IMAGE'], version),
  isTopologyAware: configuration.topologyAwareScheduling.enabled,
  makesComputeDomains: configuration.network.autoMNNVLEnabled,
  sparesTokens: configuration.tokenSecrets.onlyForStartOrder,
  readsSecretsIn: configuration.tokenSecrets.readNamespaces,
});

/** `default-scheduler` is always enabled (spec grove-api 6.2). */
const enabledSchedulers = ({ scheduler }: Configuration): readonly string[] => [
  ...new Set(['default-scheduler', ...scheduler.profiles.map(({ name }) => name)]),
];

/** Those that are on. */
export const servedModules = ({ modules: switches }: Configuration): readonly Module[] => {
  const on = new Set(Object.entries(switches).flatMap(([name, isOn]) => (isOn ? [name] : [])));
  return modules.filter(({ name }) => on.has(name));
};

/** Kinds whose lists must be in before anything is planned: those of the modules, but for those of
 *  scheduler backends that are not enabled and of features that are off. */
export function reflectedKinds(
  served: readonly Module[],
  configuration: Configuration,
  features: readonly Feature[],
): readonly Kind[] {
  const enabled = enabledSchedulers(configuration);
  const all = new Set(served.flatMap(({ kinds }) => kinds));
  return [...all].filter((kind) => {
    const backend = backendOf(kind);
    const feature = featureOf(kind);
    return (
      isWatched(kind) &&
      (backend === undefined || enabled.includes(backend)) &&
      (feature === undefined || features.includes(feature))
    );
  });
}

/**
 * As in Grove the image is named without a tag and gets our version (spec controllers 6.2); one
 * with a tag or digest is taken as it is. By default it is our own image, which knows `init`.
 */
export function initImage(given: string | undefined, version: string): string {
  const image = given === undefined || given === '' ? 'coppice' : given;
  const last = image.slice(image.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? image : `${image}:${version}`;
}
