// The part of the configuration that Grove's behaviours depend on, and what it leaves of the kinds
// that are watched. Called by edge.ts.
import { grove } from '#machines/grove/module.ts';
import type { GroveSettings } from '#machines/grove/settings.ts';
import { backendOf, featureOf, isWatched, type Feature, type Kind } from '#machines/kinds.ts';
import type { Configuration } from '#src/config/schema.ts';

export const groveSettings = (configuration: Configuration, version: string): GroveSettings => ({
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

/** All but those of scheduler backends that are not enabled and of features that are off. */
export function watchedKinds(
  configuration: Configuration,
  features: readonly Feature[],
): readonly Kind[] {
  const enabled = enabledSchedulers(configuration);
  return grove.kinds.filter((kind) => {
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
