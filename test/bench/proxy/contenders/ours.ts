// The activator's request path as it serves, with admission at a limit or without any:
// `node ours.ts PORT BACKENDS off|LIMIT`.
import { PodClients } from '#src/activator/proxy/pods.ts';
import { startRequestPath } from '#src/activator/proxy/start.ts';
import { given } from './given.ts';
import { planeOf, withoutAdmission } from './plane.ts';

const { port, backends } = given();
const admission = process.argv[4];

await startRequestPath({
  plane: admission === 'off' ? withoutAdmission(backends) : planeOf(backends, Number(admission)),
  demand: { begun: () => {}, ended: () => {} },
  pods: new PodClients(),
  rules: () => undefined,
  log: () => {},
  health: () => undefined,
  listen: { host: '127.0.0.1', http: port },
});
