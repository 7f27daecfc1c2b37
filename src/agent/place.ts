// Writes the files that IMEX reads. The kubelet mounts the hosts file into the container, so it
// cannot be replaced by another: its content is written over what is there, at once and only when
// it changes.
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostsFile, renderConfig } from './files.ts';
import { AgentSetupError } from './settings.ts';
import type { AgentSettings } from './settings.ts';
import type { Member } from './table.ts';

/** From NVIDIA's template. Throws an AgentSetupError. */
export function writeConfig({ files, pod }: AgentSettings): void {
  writeChanged(files.config, renderConfig(templateIn(files.template), pod.ip, files.nodes));
}

function templateIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const who = "NVIDIA's kubelet plugin puts it there";
    throw new AgentSetupError(`${file} cannot be read: ${who} (${String(error)})`);
  }
}

/** Hosts before nodes, so that no name is read that leads nowhere yet. Throws where a file cannot
 *  be written. */
export function writePeers(
  { files, hasNames, maxNodes }: AgentSettings,
  { members, nodes }: { readonly members: readonly Member[]; readonly nodes: string },
): void {
  if (hasNames) {
    writeChanged(files.hosts, hostsFile(readIfThere(files.hosts) ?? '', members, maxNodes));
  }
  writeChanged(files.nodes, nodes);
}

function writeChanged(file: string, content: string): void {
  if (readIfThere(file) === content) return;
  // Neither emptied first nor replaced: a reader finds one content or the other, whole but for a
  // moment's rest of the old one behind the new.
  const descriptor = openSync(file, openFlags);
  try {
    const bytes = Buffer.from(content);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(descriptor, bytes, done, bytes.length - done, done);
    }
    ftruncateSync(descriptor, bytes.length);
  } finally {
    closeSync(descriptor);
  }
}

const openFlags = constants.O_WRONLY | constants.O_CREAT;

/** Throws where it is there and cannot be read: who took it for empty would lose what it holds. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
