// What modules bring to the edge of the process, and that those which are off bring nothing.
import { describe, expect, it } from 'vitest';
import { withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { createKubeClient } from '#src/kube/client.ts';
import type { ModuleEdge, PreflightOptions } from '#src/modules/edge.ts';
import { PrerequisiteError } from '#src/modules/errors.ts';
import { moduleEdges, preflight, servedEdges } from '#src/modules/index.ts';
import { ScriptedTransport } from '#test/kube/support/scripted-transport.ts';
import { kitSettings } from '#test/support/kit.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const edge = (check: ModuleEdge['preflight']): ModuleEdge => ({
  name: 'grove',
  module: () => withSettings(grove, kitSettings),
  preflight: check,
});

function options(): PreflightOptions {
  const ports = { transport: new ScriptedTransport(), clock: new VirtualClock() };
  const log = { line: () => {} };
  const kube = createKubeClient({ ...ports, random: seeded(1), log: log.line, host: 'server' });
  return { ...ports, configuration: defaultConfiguration, kube, log };
}

describe('The modules at the edge', () => {
  it('are those that the configuration has a switch for', () => {
    expect(moduleEdges.map(({ name }) => name)).toEqual(Object.keys(defaultConfiguration.modules));
  });

  it('are served where they are on', () => {
    const named = (modules: Configuration['modules']): readonly string[] =>
      servedEdges({ ...defaultConfiguration, modules }).map(({ name }) => name);
    expect(named({ grove: true, nvidia: true, agentsandbox: true })).toEqual(
      moduleEdges.map(({ name }) => name),
    );
    const off = { grove: false, nvidia: false, agentsandbox: false };
    expect(named({ ...off, nvidia: true })).toEqual(['nvidia']);
    expect(named({ ...off, agentsandbox: true })).toEqual(['agentsandbox']);
    expect(named(off)).toEqual([]);
    expect(servedEdges(defaultConfiguration).map(({ name }) => name)).toEqual(['grove']);
  });

  it('say together what is watched, each kind once', async () => {
    const both = [edge(async () => ['Pod', 'PodGang']), edge(async () => ['Pod', 'Service'])];
    expect(await preflight(both, options())).toEqual(['Pod', 'PodGang', 'Service']);
    expect(await preflight([], options())).toEqual([]);
  });

  it('end the start where one of them lacks something', async () => {
    const lacking = edge(() => Promise.reject(new PrerequisiteError('no such API')));
    await expect(preflight([edge(async () => []), lacking], options())).rejects.toThrow('such API');
  });
});
