// Runs a container whose command is `node …` as a process of this machine, with the Node.js that
// runs this one: no image, no isolation, none of our environment. Only for pods with the annotation
// `dev.coppice/process: "true"`, and only where the cluster runs processes (index.ts).
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { keyOf } from '../controllers/client.ts';
import type { ContainerRun, ContainerRuntime, RunningContainer } from '../plugins/contract.ts';
import { followReadiness } from './readiness.ts';

const annotation = 'dev.coppice/process';

/** Ends the process when ours is gone, however it went: then the channel between both closes. */
const guard = `data:text/javascript,${encodeURIComponent(
  'process.on("disconnect", () => process.exit(1)); process.channel?.unref();',
)}`;

/** As a shell says that there is no such command. */
const notFound = 127;
const bySignal = 128;

export const nodeRuntime: ContainerRuntime = {
  isFor: (pod) => textsAt(pod.metadata, 'annotations')[annotation] === 'true',
  start: (run) => new NodeProcess(run),
};

class NodeProcess implements RunningContainer {
  readonly #child: ChildProcess | undefined;
  readonly #stopReadiness: () => void;
  isReady = false;

  constructor(run: ContainerRun) {
    const { container, clock, log, changed, ended } = run;
    const [program, ...rest] = [...textsIn(container, 'command'), ...textsIn(container, 'args')];
    const about = { pod: keyOf(run.pod), container: textAt(container, 'name') };
    if (program !== 'node') {
      const problem = `command is ${program ?? 'absent'}, only node is run`;
      log('warn', 'a container cannot be run', { ...about, error: problem });
      this.#stopReadiness = clock.at(clock.now(), () => ended(notFound));
      return;
    }
    const child = spawn(process.execPath, ['--import', guard, ...rest], {
      cwd: tmpdir(),
      env: environmentOf(run),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) tell(stream, (line) => log('info', line, about));
    }
    this.#stopReadiness = followReadiness(run, (isReady) => {
      this.isReady = isReady;
      changed();
    });
    let isOver = false;
    const over = (code: number): void => {
      if (isOver) return;
      isOver = true;
      this.isReady = false;
      this.#stopReadiness();
      ended(code);
    };
    child.once('exit', (code, signal) =>
      over(code ?? bySignal + constants.signals[signal ?? 'SIGKILL']),
    );
    child.once('error', (error) => {
      log('warn', 'a container cannot be run', { ...about, error: error.message });
      over(notFound);
    });
  }

  stop(): void {
    this.#child?.kill('SIGTERM');
  }

  kill(): void {
    this.#stopReadiness();
    this.#child?.kill('SIGKILL');
  }
}

const tell = (stream: Readable, log: (line: string) => void): void => {
  createInterface({ input: stream }).on('line', log);
};

const textsIn = (container: ContainerRun['container'], field: string): readonly string[] =>
  list(container[field]).map(text);

/** What the container names, and nothing of ours. */
function environmentOf({ pod, container, podIP }: ContainerRun): Record<string, string> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': textAt(pod.metadata, 'name'),
    'metadata.namespace': textAt(pod.metadata, 'namespace'),
    'metadata.uid': textAt(pod.metadata, 'uid'),
    'spec.nodeName': textAt(objectAt(pod, 'spec'), 'nodeName'),
    'status.podIP': podIP,
  };
  return Object.fromEntries(
    objectsAt(container, 'env').map((row) => {
      const field = text(at(row, 'valueFrom', 'fieldRef', 'fieldPath'));
      return [textAt(row, 'name'), field === '' ? textAt(row, 'value') : (fields[field] ?? '')];
    }),
  );
}
