// What the tests of `coppice dev` share: a folder of their own, the flags that keep them apart, and
// manifests to apply.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#test/support/eventually.ts';
import { type Program, Programs, processesNaming } from '#test/support/program.ts';

export interface Ports {
  readonly api?: number;
  readonly nats?: number;
  readonly http?: number;
  readonly inspector?: number;
  readonly activator?: number;
}

export class DevStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'coppice-dev-'));
  readonly programs = new Programs();

  /** `coppice dev` on a data folder of that name; every port is any free one unless given. */
  dev(data: string, ports: Ports, ...more: readonly string[]): Program {
    return this.programs.coppice('dev', ...this.flags(data, ports), ...more);
  }

  flags(data: string, ports: Ports = {}): string[] {
    const { api = 0, nats = 0, http = 0, inspector = 0, activator = 0 } = ports;
    const flags = Object.entries({ api, nats, http, inspector, activator }).flatMap(
      ([name, port]) => [`--${name}-port`, `${port}`],
    );
    return ['--data', join(this.folder, data), ...flags];
  }

  /** Resolves with the locks that are left in the data folder once no process of it is. */
  async leftovers(data: string): Promise<readonly string[]> {
    const path = join(this.folder, data);
    await eventually(
      'alone',
      () => processesNaming(path),
      ({ length }) => length === 0,
    );
    const files = existsSync(path) ? readdirSync(path) : [];
    return files.filter((name) => name.includes('lock'));
  }

  /** Writes a file and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  async end(): Promise<void> {
    await this.programs.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A manifest in namespace `mine`, with this line in its spec. */
export const ownSet = (name: string, field = 'replicas: 2'): string => `
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: { name: ${name}, namespace: mine }
spec:
  ${field}
  template:
    cliques:
      - name: worker
        spec:
          roleName: worker
          replicas: 2
          podSpec: { containers: [{ name: main, image: busybox }] }
`;

/** The namespace, and the mark that another document follows. */
export const ownNamespace = `
apiVersion: v1
kind: Namespace
metadata: { name: mine }
---`;
