// What the configuration of questions over HTTPS must agree with, and the address of this process,
// which its surroundings may say instead of a file. Used by decode.ts and by src/controller/run.ts.
import { isIP } from 'node:net';
import { checkPort, type Problem } from './field.ts';
import type { Configuration } from './schema.ts';

/** Of the pod: the chart sets it by the downward API. */
export const hostVariable = 'COPPICE_POD_IP';

const right = 'it must be an IP address or a DNS name';

const isHost = (text: string): boolean =>
  isIP(text) !== 0 ||
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text);

/** An address that can stand in a URL, a port and a Secret of its own. */
export function checkQuestions(configuration: Configuration): readonly Problem[] {
  const { questions, admission, server } = configuration;
  const problems: Problem[] = [];
  const add = (field: string, message: string): void =>
    void problems.push({ path: `questions.${field}`, message });
  if (questions.host !== undefined && !isHost(questions.host)) {
    add('host', `"${questions.host}" is wrong, ${right}`);
  }
  if (!questions.enabled) return problems;
  problems.push(
    ...checkPort('questions.port', questions.port, {
      'server.healthPort': server.healthPort,
      'server.metricsPort': server.metricsPort,
      ...(admission.enabled ? { 'admission.port': admission.port } : {}),
    }),
  );
  if (questions.secretName === admission.certificates.secretName) {
    const other = 'admission.certificates.secretName';
    add('secretName', `is "${questions.secretName}", as ${other} is; it must be another`);
  }
  return problems;
}

/** The host of the configuration, or that of the surroundings; undefined: neither names one. Throws
 *  what `refused` makes of a wrong one. */
export function questionsHost(
  { questions: { enabled, host } }: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
  refused: (problem: string) => Error,
): string | undefined {
  const given = environment[hostVariable] ?? '';
  if (!enabled || host !== undefined || given === '') return host;
  if (!isHost(given)) throw refused(`"${given}" is wrong, ${right}`);
  return given;
}
