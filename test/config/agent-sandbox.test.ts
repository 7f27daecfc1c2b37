// What the configuration may say of agent-sandbox, and what is said of the rest (spec agent-sandbox
// 4.1).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { decodeValue, defaultConfiguration } from '#src/config/decode.ts';

const problemsOf = (agentSandbox: JsonObject): readonly string[] => {
  const header = { apiVersion: 'coppice.dev/v1alpha1', kind: 'CoppiceConfiguration' };
  const result = decodeValue({ ...header, agentSandbox });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

describe('The configuration of agent-sandbox', () => {
  it('is that of the original where nothing is said, with the module off', () => {
    expect(defaultConfiguration.modules.agentsandbox).toBe(false);
    expect(defaultConfiguration.agentSandbox).toEqual({
      extensions: true,
      clusterDomain: 'cluster.local',
      routerNamespace: 'agent-sandbox-system',
      podMetadataDelayMs: 0,
      conversionWebhook: true,
      warmPool: {
        maxBatchSize: 300,
        replenishDelaySeconds: 0,
        maxRefillRate: 0,
        readinessGraceSeconds: 300,
        unschedulableRecheckSeconds: 60,
        evictable: true,
      },
      claims: {
        events: true,
        observabilityAnnotations: true,
        labelDomains: ['sandbox.users.io'],
        labelDomainsFile: undefined,
      },
      metrics: { objectLabels: true },
    });
  });

  it.each([
    ['no batch', { warmPool: { maxBatchSize: 0 } }, 'warmPool.maxBatchSize 0 is wrong'],
    ['a delay below 0', { warmPool: { replenishDelaySeconds: -1 } }, 'replenishDelaySeconds -1'],
    ['a rate below 0', { warmPool: { maxRefillRate: -0.5 } }, 'it must be a number of 0 or more'],
    ['no grace', { warmPool: { readinessGraceSeconds: 0 } }, 'readinessGraceSeconds 0 is wrong'],
    ['no interval', { warmPool: { unschedulableRecheckSeconds: 0 } }, 'RecheckSeconds 0 is wrong'],
    [
      'a second and more',
      { podMetadataDelayMs: 1_001 },
      'it must be a whole number from 0 to 1000',
    ],
    ['an empty domain', { clusterDomain: '' }, 'clusterDomain "" is wrong'],
    ['a domain that is none', { clusterDomain: 'a b' }, 'clusterDomain "a b" is wrong'],
    [
      'a domain of labels that is none',
      { claims: { labelDomains: ['a.io', '*.b.io'] } },
      'agentSandbox.claims.labelDomains[1] "*.b.io" is wrong, it must be a domain such as',
    ],
    ['a flag of the original', { enableTracing: true }, 'enableTracing is not a field'],
    ['a misspelt field', { claims: { event: false } }, 'did you mean "events"?'],
  ])('refuses %s', (_, given, problem) => {
    expect(problemsOf(given)).toEqual([expect.stringContaining(problem)]);
  });

  it('takes domains in capitals, and no domains of labels at all', () => {
    expect(problemsOf({ claims: { labelDomains: ['Example.COM'] } })).toEqual([]);
    expect(problemsOf({ claims: { labelDomains: [] } })).toEqual([]);
  });
});
