// The part of the configuration that the behaviours of agent-sandbox depend on. Called by edge.ts.
import { readFileSync } from 'node:fs';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import type { Configuration } from '#src/config/schema.ts';
import { PrerequisiteError } from '../errors.ts';

/** Throws PrerequisiteError where a file that it names is there and cannot be read. */
export function agentSandboxSettings({ agentSandbox }: Configuration): AgentSandboxSettings {
  const { warmPool, claims } = agentSandbox;
  return {
    clusterDomain: agentSandbox.clusterDomain,
    routerNamespace: agentSandbox.routerNamespace,
    writeBehindMs: agentSandbox.podMetadataDelayMs,
    warmPool: {
      maxBatchSize: warmPool.maxBatchSize,
      replenishDelayMs: warmPool.replenishDelaySeconds * 1_000,
      maxRefillRate: warmPool.maxRefillRate,
      readinessGraceMs: warmPool.readinessGraceSeconds * 1_000,
      unschedulableRecheckMs: warmPool.unschedulableRecheckSeconds * 1_000,
      isEvictable: warmPool.evictable,
    },
    claims: {
      hasEvents: claims.events,
      hasObservability: claims.observabilityAnnotations,
      labelDomains: agentSandbox.extensions ? labelDomains(claims) : [],
    },
  };
}

/** Lower case. A file that is not there, or says none, counts as none. */
function labelDomains({
  labelDomains: listed,
  labelDomainsFile: file,
}: Configuration['agentSandbox']['claims']): readonly string[] {
  const named = file === undefined ? [] : domainsIn(contentOf(file));
  return named.length > 0 ? named : listed.map((domain) => domain.toLowerCase());
}

const domainsIn = (content: string): readonly string[] =>
  content
    .split(/[,\n]/)
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new PrerequisiteError(
      `agentSandbox.claims.labelDomainsFile cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
