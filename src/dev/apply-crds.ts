// `coppice crds`: applies the CRDs of the modules that the configuration serves, and ends. The
// chart's hook calls it before an upgrade, as Helm itself never upgrades CRDs.
import { exitCodes } from '#src/cli/commands.ts';
import { type ConfigurationFlags, configured } from '#src/config/load.ts';
import { connectionTo } from '#src/kube/connect/config.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { apply } from './apply.ts';
import { readCrds } from './crds.ts';

/** Resolves with the exit code. Rejects with ConfigurationError, KubeConfigError, or what the API
 *  server answers to the CRD that it refuses. */
export async function runCrds(flags: ConfigurationFlags, version: string): Promise<number> {
  const { cluster, modules } = (await configured(flags)).configuration;
  const connection = await connectionTo(cluster, systemClock);
  const transport = httpTransport(connection, { userAgent: `coppice-crds/${version}`, sockets: 1 });
  const served = new Map(Object.entries(modules));
  try {
    for (const manifest of readCrds((name) => served.get(name) === true)) {
      await apply(transport, manifest, 'coppice-crds');
      process.stdout.write(`applied ${manifest.name}\n`);
    }
    return exitCodes.ok;
  } finally {
    await transport.close();
  }
}
