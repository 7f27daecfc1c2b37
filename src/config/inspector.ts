// What the configuration of the inspector must agree with. Used by decode.ts.
import { checkPort, type Problem } from './field.ts';
import type { Configuration } from './schema.ts';

const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);

/** Plain HTTP stays on the machine, and a port is for one server. */
export function checkInspector(configuration: Configuration): readonly Problem[] {
  const { inspector: own, server, admission, questions, profiling } = configuration;
  if (!own.enabled) return [];
  const problems = [
    ...checkPort('inspector.port', own.port, {
      'server.healthPort': server.healthPort,
      'server.metricsPort': server.metricsPort,
      ...(admission.enabled ? { 'admission.port': admission.port } : {}),
      ...(questions.enabled ? { 'questions.port': questions.port } : {}),
      ...(profiling.enabled ? { 'profiling.port': profiling.port } : {}),
    }),
  ];
  if (isLoopback(own.bindAddress)) return problems;
  const why = 'tokens would travel in plain text';
  const right = questions.enabled
    ? `it must be a loopback address such as 127.0.0.1; questions.port ${questions.port} serves the inspector over TLS to others`
    : 'it must be a loopback address such as 127.0.0.1; with questions.enabled, questions.port serves the inspector over TLS to others';
  const message = `"${own.bindAddress}" is wrong, as ${why}: ${right}`;
  return [...problems, { path: 'inspector.bindAddress', message }];
}
