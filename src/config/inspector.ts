// The inspector's part of the configuration, and what it must agree with. Used by schema.ts and
// decode.ts.
import { boolean, checkPort, integer, listOf, type Problem, section, text } from './field.ts';
import type { Configuration } from './schema.ts';

export const inspector = section(
  'The inspector: a page that shows every actor, and its API. It takes tokens of the cluster; `questions` lets processes ask each other.',
  {
    enabled: boolean(
      false,
      'True: the page and its API are served to those who may `list` or `get` the objects; `coppice dev` always has it.',
    ),
    bindAddress: text(
      '127.0.0.1',
      'Loopback address to listen on, which `kubectl port-forward` reaches. Over TLS the port of `questions` serves the same.',
    ),
    port: integer({ least: 0, most: 65_535 }, 2755, 'Port of the inspector; 0: any free port.'),
    hosts: listOf(
      text('', 'A host name.'),
      [],
      'Further host names under which browsers reach it, such as that of an Ingress to the port of `questions`.',
    ),
    pageFolder: text(undefined, 'Folder of the built page; absent: where `npm run build` puts it.'),
  },
);

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
