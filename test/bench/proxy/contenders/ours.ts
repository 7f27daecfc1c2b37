// The activator's request path as it serves, with admission at a limit or without any, in its own
// thread or in workers: `node ours.ts PORT BACKENDS off|LIMIT [WORKERS]`.
import { Figures } from '#src/activator/proxy/figures.ts';
import { PodClients } from '#src/activator/proxy/pods.ts';
import { startRequestPath } from '#src/activator/proxy/start.ts';
import { startWorkers } from '#src/activator/workers/pool.ts';
import { given } from './given.ts';
import { planeOf, withoutAdmission } from './plane.ts';

const { port, backends } = given();
const [admission, workers] = process.argv.slice(4);

const common = {
  demand: { begun: () => {}, ended: () => {} },
  log: () => {},
  health: () => undefined,
  listen: { host: '127.0.0.1', http: port },
};

if (workers === undefined) {
  await startRequestPath({
    ...common,
    plane: admission === 'off' ? withoutAdmission(backends) : planeOf(backends, Number(admission)),
    pods: new PodClients(),
    rules: () => undefined,
  });
} else {
  await startWorkers({
    ...common,
    plane: planeOf(backends, Number(admission)),
    count: Number(workers),
    figures: new Figures(),
    rules: { find: () => undefined, onChange: () => {} },
    podNameOf: () => '',
    limits: {},
    requestLogTemplate: undefined,
  });
}
