// The part of the configuration about agent-sandbox: what are flags of its controller (spec
// agent-sandbox 4.1). docs/agent-sandbox.md has the table of all of them.
import {
  boolean,
  type Decoded,
  integer,
  listOf,
  type Problem,
  rate,
  section,
  text,
} from './field.ts';

const warmPool = section('Warm pools.', {
  maxBatchSize: integer(
    { least: 1, most: 100_000 },
    300,
    'How many Sandboxes of a pool are created or deleted at once.',
  ),
  replenishDelaySeconds: rate(
    0,
    'After claims have taken members, none is created for this long; each further claim starts the time anew, until the pool is empty.',
  ),
  maxRefillRate: rate(0, 'Sandboxes a second that each pool creates at most; 0: no limit.'),
  readinessGraceSeconds: integer(
    { least: 1, most: 86_400 },
    300,
    'A member that is not ready for longer is replaced, unless it cannot be scheduled.',
  ),
  unschedulableRecheckSeconds: integer(
    { least: 1, most: 86_400 },
    60,
    'How often members that cannot be scheduled are looked at again.',
  ),
  evictable: boolean(
    true,
    'True: pods of members are marked as safe to evict, for the cluster autoscaler; claimed ones are not.',
  ),
});

const claims = section('Claims.', {
  events: boolean(true, 'False: no Events about claims are recorded.'),
  observabilityAnnotations: boolean(
    true,
    'False: claims do not say when they were first seen and first ready, which saves a write; one that becomes ready again after a restart is then measured again.',
  ),
  labelDomains: listOf(
    text('', 'A domain.'),
    ['sandbox.users.io'],
    'Domains of the labels that claims may put on pods; their sub-domains count too.',
  ),
  labelDomainsFile: text(
    undefined,
    'File with such domains, by commas or lines, read at the start; where it has any, they replace `labelDomains`.',
  ),
});

export const agentSandbox = section(
  'Sandboxes, their templates, claims and warm pools, served by `modules.agentsandbox`.',
  {
    extensions: boolean(
      true,
      'False: only Sandboxes are served; templates, claims and warm pools need not even have CRDs.',
    ),
    clusterDomain: text('cluster.local', 'Domain of the DNS names of Services.'),
    routerNamespace: text(
      'agent-sandbox-system',
      'Namespace of the router, which the default NetworkPolicy of a template lets in.',
    ),
    podMetadataDelayMs: integer(
      { least: 0, most: 1_000 },
      0,
      'How long changes of the metadata of a running pod are collected before they are written.',
    ),
    conversionWebhook: boolean(
      true,
      'True: objects are converted between v1alpha1 and v1beta1, with `admission.enabled`; false: the CRDs must have conversion strategy None.',
    ),
    warmPool,
    claims,
    metrics: section('The families `agent_sandbox*`.', {
      objectLabels: boolean(
        true,
        'False: the labels with names of namespaces, templates and warm pools are empty, so that their number is bounded.',
      ),
    }),
  },
);

const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What is wrong with fields that are right by themselves. */
export function checkAgentSandbox(given: Decoded<typeof agentSandbox>): readonly Problem[] {
  const domains = {
    clusterDomain: given.clusterDomain,
    ...Object.fromEntries(
      given.claims.labelDomains.map((one, index) => [`claims.labelDomains[${index}]`, one]),
    ),
  };
  const problems: Problem[] = [];
  for (const [field, value] of Object.entries(domains)) {
    if (domain.test(value.toLowerCase())) continue;
    const message = `"${value}" is wrong, it must be a domain such as example.com`;
    problems.push({ path: `agentSandbox.${field}`, message });
  }
  return problems;
}
