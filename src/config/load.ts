// Reads the configuration file of `coppice controller --config FILE`. The command line prints the
// problems and exits with 2.
import { readFile } from 'node:fs/promises';
import { decodeText, defaultConfiguration } from './decode.ts';
import type { Configuration } from './schema.ts';

/** A configuration that cannot be used. The message names the file and lists every problem. */
export class ConfigurationError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(`${file} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

export interface Loaded {
  readonly configuration: Configuration;
  /** Sentences on what of the file has no effect, to be logged. */
  readonly notes: readonly string[];
}

/** What every command that works on a cluster takes. */
export interface ConfigurationFlags {
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** The file that is named, else the defaults. Flags win over the file, and the file over the
 *  environment. Rejects as `loadConfiguration` does. */
export async function configured(flags: ConfigurationFlags): Promise<Loaded> {
  const { configuration, notes } =
    flags.config === undefined
      ? { configuration: defaultConfiguration, notes: [] }
      : await loadConfiguration(flags.config);
  const { kubeconfig, context } = configuration.cluster;
  const cluster = {
    kubeconfig: flags.kubeconfig ?? kubeconfig,
    context: flags.context ?? context,
  };
  return { configuration: { ...configuration, cluster }, notes };
}

/** Rejects with ConfigurationError where the file cannot be read, decoded or is wrong. */
export async function loadConfiguration(file: string): Promise<Loaded> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigurationError(file, [
      `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    ]);
  });
  const result = decodeText(text);
  if (result.ok) return result;
  throw new ConfigurationError(
    file,
    result.problems.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)),
  );
}
