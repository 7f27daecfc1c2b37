// The part of the configuration that the behaviours of ComputeDomains depend on. Called by edge.ts.
import type { NvidiaSettings } from '#machines/nvidia/settings.ts';
import type { Configuration } from '#src/config/schema.ts';

export function nvidiaSettings({ computeDomains }: Configuration): NvidiaSettings {
  const { imexMode, image, priorityClassName, resources, agent } = computeDomains;
  const { cpu, memory } = resources;
  return {
    driverNamespace: computeDomains.driverNamespace,
    additionalNamespaces: computeDomains.additionalNamespaces,
    mode: imexMode,
    maxNodes: computeDomains.maxNodesPerImexDomain,
    image: image ?? '',
    imagePullSecrets: computeDomains.imagePullSecrets,
    logVerbosity: computeDomains.logVerbosity,
    command: computeDomains.command,
    agent: {
      servers: agent.natsServers,
      credentialsSecret: agent.natsCredentialsSecret ?? '',
      caSecret: agent.natsCaSecret ?? '',
    },
    featureGates: gatesOf(computeDomains),
    priorityClassName: priorityClassName ?? '',
    resources: cpu === undefined || memory === undefined ? {} : { cpu, memory },
    statusIntervalMs: computeDomains.statusIntervalSeconds * 1_000,
  };
}

/** Where the host manages IMEX both gates of daemons are off, whatever is configured. The gate that
 *  allows this is named only where it is on: daemons of an older driver refuse gates that they do
 *  not know. */
function gatesOf({
  imexMode,
  featureGates,
}: Configuration['computeDomains']): Readonly<Record<string, boolean>> {
  const { HostManagedIMEXDaemon, ...others } = featureGates;
  const gates = HostManagedIMEXDaemon ? featureGates : others;
  if (imexMode === 'driverManaged') return gates;
  return { ...gates, IMEXDaemonsWithDNSNames: false, ComputeDomainCliques: false };
}
