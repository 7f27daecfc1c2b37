// What ends a command of the plugin: a sentence that says what is wrong and what to do, and its row
// in the table of exit codes. Thrown by all commands, printed by run.ts.
import type { ErrorCode } from '#machines/contract/errors.ts';
import { KubeConfigError } from '#src/kube/connect/kubeconfig.ts';
import { failureOf } from '#src/kube/errors.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { type PluginExit, pluginExitCodes } from './commands.ts';

export class PluginError extends Error {
  readonly exit: PluginExit;

  constructor(exit: PluginExit, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'PluginError';
    this.exit = exit;
  }
}

const exits: Partial<Record<ErrorCode, PluginExit>> = {
  NOT_FOUND: 'notFound',
  FORBIDDEN: 'forbidden',
  UNAUTHORIZED: 'forbidden',
};

/** Of a code that the API server answered with. */
export const exitOf = (code: ErrorCode): PluginExit => exits[code] ?? 'failed';

/** `what` was asked of the API server: `list podcliquesets`. */
export function refusedBy(response: KubeResponse, what: string): PluginError {
  const { code, message } = failureOf(response);
  return new PluginError(exitOf(code), `the API server refuses to ${what}: ${message}`);
}

/** Of whatever ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof PluginError) return pluginExitCodes[error.exit].code;
  if (error instanceof KubeConfigError) return pluginExitCodes.configuration.code;
  return pluginExitCodes.failed.code;
}
