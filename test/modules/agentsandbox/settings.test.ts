// What the behaviours of agent-sandbox get of the configuration.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { agentSandboxSettings } from '#src/modules/agentsandbox/settings.ts';
import { PrerequisiteError } from '#src/modules/errors.ts';

const { agentSandbox } = defaultConfiguration;

const settingsOf = (given: Partial<Configuration['agentSandbox']>) =>
  agentSandboxSettings({ ...defaultConfiguration, agentSandbox: { ...agentSandbox, ...given } });

describe('The settings of agent-sandbox', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-domains-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const domainsOf = (content: string | undefined): readonly string[] => {
    const labelDomainsFile = join(folder, 'allowed-label-domains');
    rmSync(labelDomainsFile, { force: true });
    if (content !== undefined) writeFileSync(labelDomainsFile, content);
    return settingsOf({ claims: { ...agentSandbox.claims, labelDomainsFile } }).claims.labelDomains;
  };

  it('are those of the original where nothing is said', () => {
    expect(settingsOf({})).toEqual({
      clusterDomain: 'cluster.local',
      routerNamespace: 'agent-sandbox-system',
      writeBehindMs: 0,
      warmPool: {
        maxBatchSize: 300,
        replenishDelayMs: 0,
        maxRefillRate: 0,
        readinessGraceMs: 300_000,
        unschedulableRecheckMs: 60_000,
        isEvictable: true,
      },
      claims: { hasEvents: true, hasObservability: true, labelDomains: ['sandbox.users.io'] },
    });
  });

  it('are the configuration, in milliseconds', () => {
    const warmPool = { ...agentSandbox.warmPool, replenishDelaySeconds: 0.5, maxRefillRate: 2.5 };
    const claims = { ...agentSandbox.claims, events: false, observabilityAnnotations: false };
    const settings = settingsOf({ warmPool, claims, podMetadataDelayMs: 250 });
    expect(settings.writeBehindMs).toBe(250);
    expect(settings.warmPool).toMatchObject({ replenishDelayMs: 500, maxRefillRate: 2.5 });
    expect(settings.claims).toMatchObject({ hasEvents: false, hasObservability: false });
  });

  it('take the domains of labels out of a file, in lower case', () => {
    expect(domainsOf(' Example.com, a.io\n\nb.io ,')).toEqual(['example.com', 'a.io', 'b.io']);
  });

  it('have the listed domains where the file is missing or says none', () => {
    expect(domainsOf(undefined)).toEqual(['sandbox.users.io']);
    expect(domainsOf(' \n,')).toEqual(['sandbox.users.io']);
  });

  it('end the start where the file cannot be read, unless nobody claims', () => {
    const claims = { ...agentSandbox.claims, labelDomainsFile: folder };
    expect(() => settingsOf({ claims })).toThrow(PrerequisiteError);
    expect(() => settingsOf({ claims })).toThrow('labelDomainsFile cannot be read');
    expect(settingsOf({ claims, extensions: false }).claims.labelDomains).toEqual([]);
  });
});
