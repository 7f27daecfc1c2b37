// The part of the configuration that machines depend on.
import type { MachineSettings } from '#machines/behaviour.ts';
import type { Configuration } from '#src/config/schema.ts';

/** `default-scheduler` is always enabled (spec grove-api 6.2). */
export function machineSettings({ scheduler }: Configuration, version: string): MachineSettings {
  const names = new Set(['default-scheduler', ...scheduler.profiles.map(({ name }) => name)]);
  return {
    defaultSchedulerName: scheduler.defaultProfileName,
    schedulerNames: [...names],
    initContainerImage: initImage(process.env['GROVE_INIT_CONTAINER_IMAGE'], version),
  };
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
