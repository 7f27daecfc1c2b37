// The part of the configuration that machines depend on.
import type { MachineSettings } from '#machines/behaviour.ts';
import type { Configuration } from '#src/config/schema.ts';

/** `default-scheduler` is always enabled (spec grove-api 6.2). */
export function machineSettings({ scheduler }: Configuration): MachineSettings {
  const names = new Set(['default-scheduler', ...scheduler.profiles.map(({ name }) => name)]);
  return {
    defaultSchedulerName: scheduler.defaultProfileName,
    schedulerNames: [...names],
    initContainerImage: process.env['GROVE_INIT_CONTAINER_IMAGE'] ?? '',
  };
}
