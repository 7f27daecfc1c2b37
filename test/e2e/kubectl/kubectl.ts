// Drives the stock kubectl of this machine against an embedded cluster over HTTPS: one cluster per
// test file, a home folder of its own, so that no cache or configuration of the user is touched.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const deadlineMs = 15_000;

/** Why kubectl cannot be driven here; undefined: it can. */
function obstacle(): string | undefined {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no kubectl on PATH';
  }
}

export class Kubectl {
  readonly home: string;
  cluster: Cluster | undefined;

  constructor(home: string) {
    this.home = home;
  }

  get #environment(): NodeJS.ProcessEnv {
    const kubeconfig = join(this.home, 'kubeconfig');
    return { PATH: process.env['PATH'], HOME: this.home, KUBECONFIG: kubeconfig };
  }

  /** Runs it with the words of the line; quotes keep words together. */
  run(line: string, input?: string): Promise<Outcome> {
    return new Promise((resolve) => {
      const options = { env: this.#environment, timeout: deadlineMs };
      const child = execFile('kubectl', wordsOf(line), options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
        resolve({ code, stdout, stderr });
      });
      child.stdin?.end(input ?? '');
    });
  }

  /** Runs it, expects success, and gives what it printed. */
  async ok(line: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, input);
    if (code !== 0) throw new Error(`kubectl ${line}\nexit ${code}\n${stderr}`);
    return stdout;
  }

  /** Runs it, expects failure, and gives what it complained. */
  async refused(line: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, input);
    if (code === 0) throw new Error(`kubectl ${line}\nshould have failed, but printed\n${stdout}`);
    return stderr;
  }

  /** Writes a file into the home folder; gives its path. */
  async file(name: string, text: string): Promise<string> {
    const path = join(this.home, name);
    await writeFile(path, text);
    return path;
  }

  /** Starts it and resolves when it has printed the text; `stop` ends it. */
  async until(line: string, text: string): Promise<{ printed: string; stop: () => void }> {
    const child = spawn('kubectl', wordsOf(line), { env: this.#environment });
    const stop = (): void => void child.kill('SIGKILL');
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      const cancel = systemClock.at(systemClock.now() + deadlineMs, () => {
        stop();
        reject(new Error(`kubectl ${line}\ndid not print "${text}", but\n${printed}`));
      });
      child.stdout.on('data', (chunk) => {
        printed += String(chunk);
        if (!printed.includes(text)) return;
        cancel();
        resolve();
      });
    });
    return { printed, stop };
  }
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');

/** A describe block with a cluster and a kubectl for it; skipped by name where there is none. */
export function withKubectl(name: string, tests: (kubectl: () => Kubectl) => void): void {
  const why = obstacle();
  const title = why === undefined ? name : `${name} (skipped: ${why})`;
  describe.skipIf(why !== undefined).each([title])('%s', () => {
    let kubectl: Kubectl | undefined;

    beforeAll(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'coppice-kubectl-'));
      const cluster = createCluster({ clock: systemClock, random: seeded(1), nodes: 3, dataDir });
      kubectl = new Kubectl(dataDir);
      kubectl.cluster = cluster;
      await cluster.start();
      await cluster.listen();
    });
    afterAll(async () => {
      await kubectl?.cluster?.stop();
      if (kubectl !== undefined) await rm(kubectl.home, { recursive: true });
    });

    tests(() => {
      if (kubectl === undefined) throw new Error('the cluster did not start');
      return kubectl;
    });
  });
}

export const podYaml = (name: string, more = ''): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { app: ${name} }
spec:
  containers:
    - name: main
      image: registry.k8s.io/pause:3.10
${more}`;

export const configMapYaml = (name: string, value: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
  key: ${value}
`;
