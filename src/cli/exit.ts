// From an error that ended a command to its exit code. Called by main.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { ConfigurationError } from '#src/config/load.ts';
import { KubeConfigError } from '#src/kube/connect/kubeconfig.ts';
import { BackendError, PrerequisiteError } from '#src/modules/errors.ts';
import { exitCodes } from './commands.ts';

/** Files that are wrong, and a cluster that lacks something, are told from what fails at the start
 *  or later. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof BackendError) return exitCodes.schedulerBackend;
  if (error instanceof PrerequisiteError) return exitCodes.prerequisites;
  const isWrongFile =
    error instanceof ConfigurationError ||
    error instanceof KubeConfigError ||
    (error instanceof CoppiceError && error.code === 'MALFORMED');
  return isWrongFile ? exitCodes.configuration : exitCodes.startFailed;
}
