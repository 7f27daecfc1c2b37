// The files on disk: written over what is there, and only when they change.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeConfig, writePeers } from '#src/agent/place.ts';
import { AgentSetupError } from '#src/agent/settings.ts';
import { agentSettings } from './kit.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-place-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);
const settings = () =>
  agentSettings({
    MAX_NODES_PER_IMEX_DOMAIN: '2',
    COPPICE_IMEX_CONFIG: file('imexd.cfg'),
    COPPICE_IMEX_NODES: file('nodes'),
    COPPICE_HOSTS_FILE: file('hosts'),
  });
const members = [{ node: 'a', ip: '10.0.0.1', index: 0 }];

describe('the files of IMEX', () => {
  it('are written in place, so that a mounted hosts file stays mounted (Q-19)', () => {
    const long = `127.0.0.1 localhost\n${'1.2.3.4 compute-domain-daemon-0000\n'.repeat(50)}`;
    writeFileSync(file('hosts'), long);
    const before = statSync(file('hosts')).ino;
    writePeers(settings(), { members, nodes: 'n\n' });
    expect(statSync(file('hosts')).ino).toBe(before);
    const content = readFileSync(file('hosts'), 'utf8');
    expect(content.startsWith('127.0.0.1 localhost\n# coppice clique-agent: begin')).toBe(true);
    expect(content.endsWith('# coppice clique-agent: end\n')).toBe(true);
    expect(readFileSync(file('nodes'), 'utf8')).toBe('n\n');
  });

  it('are left alone while nothing changes', () => {
    writePeers(settings(), { members, nodes: 'n\n' });
    for (const name of ['hosts', 'nodes']) utimesSync(file(name), 1_000, 1_000);
    writePeers(settings(), { members, nodes: 'n\n' });
    for (const name of ['hosts', 'nodes']) {
      expect(statSync(file(name)).mtimeMs).toBe(1_000_000);
    }
  });

  it('are not written over where they are there and cannot be read', () => {
    mkdirSync(file('hosts'));
    expect(() => writePeers(settings(), { members, nodes: 'n\n' })).toThrow(/EISDIR.*\bread\b/);
  });

  it('begin with the configuration, without whose template nothing starts', () => {
    expect(() => writeConfig(settings())).toThrow(
      "imexd.cfg.tmpl cannot be read: NVIDIA's kubelet plugin puts it there",
    );
    mkdirSync(file('imexd.cfg.tmpl'));
    expect(() => writeConfig(settings())).toThrow(AgentSetupError);
    rmSync(file('imexd.cfg.tmpl'), { recursive: true });
    writeFileSync(file('imexd.cfg.tmpl'), 'A={{ .NodesFile }}\n');
    writeConfig(settings());
    expect(readFileSync(file('imexd.cfg'), 'utf8')).toBe(`A=${file('nodes')}\n`);
  });
});
