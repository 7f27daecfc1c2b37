// What the agent reads from its environment, and what it says where that is wrong.
import { describe, expect, it } from 'vitest';
import { AgentSetupError, readCheckSettings, readSettings } from '#src/agent/settings.ts';
import { agentEnv } from './kit.ts';

const messageOf = (env: Record<string, string | undefined>): string => {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof AgentSetupError) return error.message;
    throw error;
  }
  return '';
};

describe('the environment of the agent', () => {
  it('is read as NVIDIA sets it, with the standard files and command', () => {
    expect(readSettings(agentEnv({ LOG_VERBOSITY: '4' }))).toEqual({
      cliqueID: 'c.1',
      domain: { uid: 'cd', name: 'domain', namespace: 'team' },
      node: 'node-0',
      pod: { ip: '10.0.0.1', uid: 'pod-uid', name: 'daemon-0', namespace: 'driver' },
      clique: 'cd.c.1',
      maxNodes: 18,
      hasNames: true,
      hasCliques: true,
      isVerbose: false,
      nats: undefined,
      files: {
        config: '/imexd/imexd.cfg',
        template: '/imexd/imexd.cfg.tmpl',
        nodes: '/imexd/nodes.cfg',
        hosts: '/etc/hosts',
        root: '/',
      },
      imex: ['nvidia-imex', '-c', '/imexd/imexd.cfg'],
    });
  });

  it('takes our own variables', () => {
    const settings = readSettings(
      agentEnv({
        COPPICE_NATS_URL: 'nats://a:4222, b',
        COPPICE_NATS_CREDENTIALS: '/c/creds',
        COPPICE_IMEX_COMMAND: 'node  child.mjs -x',
        COPPICE_IMEX_CONFIG: '/t/imexd.cfg',
        COPPICE_IMEX_NODES: '/t/nodes',
        COPPICE_HOSTS_FILE: '/t/hosts',
        COPPICE_ROOT: '/t',
        LOG_VERBOSITY: '6',
      }),
    );
    expect(settings.nats).toEqual({
      servers: ['nats://a:4222', 'b'],
      credentials: '/c/creds',
      ca: undefined,
    });
    expect(settings.imex).toEqual(['node', 'child.mjs', '-x']);
    expect(settings.files.template).toBe('/t/imexd.cfg.tmpl');
    expect(settings.isVerbose).toBe(true);
  });

  it('without the UID of the domain is told by a sentence that names CDI (3.2, HC-10)', () => {
    const said = 'CDI container edits did not apply -- is CDI enabled in your container runtime?';
    expect(messageOf({})).toBe(said);
    expect(messageOf(agentEnv({ COMPUTE_DOMAIN_UUID: '' }))).toBe(said);
    expect(() => readCheckSettings({})).toThrow(said);
  });

  it.each([
    ['NODE_NAME', undefined, 'NODE_NAME is not set'],
    ['POD_IP', undefined, 'POD_IP is not set'],
    ['POD_UID', '', 'POD_UID is not set'],
    ['POD_NAME', undefined, 'POD_NAME is not set'],
    ['POD_NAMESPACE', undefined, 'POD_NAMESPACE is not set'],
    ['COMPUTE_DOMAIN_NAME', undefined, 'COMPUTE_DOMAIN_NAME is not set: the claim provides it'],
    ['POD_IP', '10.0.0.300', 'POD_IP is "10.0.0.300": an IPv4 or IPv6 address would be right'],
    ['MAX_NODES_PER_IMEX_DOMAIN', undefined, 'MAX_NODES_PER_IMEX_DOMAIN is not set'],
    ['MAX_NODES_PER_IMEX_DOMAIN', '0', 'a whole number from 1 to 10000 would be right'],
    ['MAX_NODES_PER_IMEX_DOMAIN', '10001', 'a whole number from 1 to 10000 would be right'],
    ['LOG_VERBOSITY', 'much', 'LOG_VERBOSITY is "much"'],
    ['FEATURE_GATES', 'A', 'FEATURE_GATES is "A": Name=true,Other=false would be right'],
    ['CLIQUE_ID', 'a/b', 'CLIQUE_ID is "a/b"'],
  ])('with a wrong %s (%s) is refused', (name, value, message) => {
    expect(messageOf(agentEnv({ [name]: value }))).toContain(message);
  });

  it('has gates that depend on each other (HC-24)', () => {
    expect(messageOf(agentEnv({ FEATURE_GATES: 'IMEXDaemonsWithDNSNames=false,' }))).toBe(
      'feature gate ComputeDomainCliques requires IMEXDaemonsWithDNSNames to also be enabled',
    );
    const off = 'IMEXDaemonsWithDNSNames=false,ComputeDomainCliques=false,Other=true,';
    expect(readSettings(agentEnv({ FEATURE_GATES: off }))).toMatchObject({
      hasNames: false,
      hasCliques: false,
    });
  });

  it('may be without a clique (HC-20)', () => {
    expect(readSettings(agentEnv({ CLIQUE_ID: undefined })).cliqueID).toBe('');
    expect(readCheckSettings(agentEnv({ CLIQUE_ID: '' })).cliqueID).toBe('');
  });

  it('names the command of the probe', () => {
    expect(readCheckSettings(agentEnv({})).command).toEqual([
      'nvidia-imex-ctl',
      '-c',
      '/imexd/imexd.cfg',
      '-q',
    ]);
  });
});
