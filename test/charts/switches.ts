// Which parts of the code a configuration turns on, by the names that test/charts/needed.ts has for
// them: what the helper `coppice.on` of the chart must come to as well.
import type { Configuration } from '#src/config/schema.ts';

export function switchesOf(configuration: Configuration): ReadonlySet<string> {
  const { admission, agentSandbox, modules, questions, inspector } = configuration;
  const { grove, nvidia, agentsandbox } = modules;
  const schedulers = configuration.scheduler.profiles.map(({ name }) => name);
  const converts = agentsandbox && agentSandbox.conversionWebhook;
  const admits = admission.enabled && (grove || converts);
  const isAutomatic = admits && admission.certificates.mode === 'auto';
  const parts: Readonly<Record<string, boolean>> = {
    '': true,
    grove,
    nvidia,
    driver: nvidia,
    agentsandbox,
    sandboxExtensions: agentsandbox && agentSandbox.extensions,
    leases: configuration.leases.enabled,
    questions: questions.enabled,
    inspector: inspector.enabled,
    reviews: questions.enabled || inspector.enabled,
    admission: admits,
    registration: grove && admits && admission.registration === 'service',
    certificates: isAutomatic,
    trust: grove && admits && (isAutomatic || admission.registration !== 'none'),
    conversion: converts && admits,
    authorizer: grove && admits && configuration.authorizer.enabled,
    computeDomains: grove && configuration.network.autoMNNVLEnabled,
    tokenReads: grove && configuration.tokenSecrets.readNamespaces.length > 0,
    kai: grove && schedulers.includes('kai-scheduler'),
    volcano: grove && schedulers.includes('volcano'),
  };
  return new Set(Object.keys(parts).filter((name) => parts[name]));
}
