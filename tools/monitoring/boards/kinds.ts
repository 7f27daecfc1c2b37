// Objects by the states of their charts: gangs, warm pools, ComputeDomains and their cliques.
// docs/charts.md says what each state means.
import { type Dashboard, gauge, one, type Panel, quantile, rate, sum } from '../panel.ts';

/** Actors of a controller in the states of one region. */
const statesOf = (title: string, controller: string, region: string, about: string): Panel => ({
  title,
  about,
  unit: 'short',
  queries: one(
    '{{state}}',
    sum(
      'state',
      gauge('coppice_actor_states', `controller="${controller}",state=~"active.${region}.*"`),
    ),
  ),
});

export const gangs: Dashboard = {
  name: 'gangs',
  title: 'Coppice / Gangs',
  about: 'Which gangs wait, run, are updated or in breach?',
  rows: [
    {
      title: 'PodCliqueSets',
      panels: [
        statesOf('Sets: readiness', 'podcliqueset-controller', 'readiness', 'As condition Ready.'),
        statesOf('Sets: rollout', 'podcliqueset-controller', 'rollout', 'Rolling updates.'),
        statesOf(
          'Groups: readiness',
          'podcliquescalinggroup-controller',
          'readiness',
          'As condition Ready.',
        ),
        statesOf(
          'Groups: breach',
          'podcliquescalinggroup-controller',
          'breach',
          'Below their minimum: they are terminated after the delay.',
        ),
      ],
    },
    {
      title: 'PodCliques and PodGangs',
      panels: [
        statesOf('Cliques: readiness', 'podclique-controller', 'readiness', 'As condition Ready.'),
        statesOf(
          'Cliques: scheduling',
          'podclique-controller',
          'scheduling',
          'insufficient: they wait for nodes.',
        ),
        statesOf('Cliques: breach', 'podclique-controller', 'breach', 'Below their minimum.'),
        statesOf(
          'Gangs: initialization',
          'podgang',
          'initialization',
          'Until all their pods are there.',
        ),
      ],
    },
  ],
};

const started = (title: string, launch: string): Panel => ({
  title,
  about: 'From the first sight of a claim to its readiness, P95.',
  unit: 'ms',
  queries: one(
    '{{sandbox_template}}',
    quantile(
      0.95,
      'agent_sandbox_claim_controller_startup_latency_ms',
      'sandbox_template',
      `launch_type="${launch}"`,
    ),
  ),
});

export const pools: Dashboard = {
  name: 'pools-and-cliques',
  title: 'Coppice / Pools and cliques',
  about: 'Are warm pools full, are claims served, are NVLink cliques complete?',
  rows: [
    {
      title: 'Warm pools and claims',
      panels: [
        statesOf('Pools: supply', 'sandboxwarmpool-controller', 'supply', 'full is well.'),
        statesOf('Claims: binding', 'sandboxclaim-controller', 'binding', 'bound is well.'),
        {
          title: 'Sandboxes',
          about: 'By readiness and by who owns them; owned by a pool and ready: warm.',
          unit: 'short',
          queries: one(
            '{{owned_by}} ready={{ready_condition}}',
            sum('owned_by, ready_condition', gauge('agent_sandboxes')),
          ),
        },
        {
          title: 'Claims served',
          about: 'Cold ones found no member.',
          unit: 'ops',
          queries: one(
            '{{launch_type}} {{pod_condition}}',
            sum('launch_type, pod_condition', rate('agent_sandbox_claim_creation_total')),
          ),
        },
        started('Warm start', 'warm'),
        started('Cold start', 'cold'),
      ],
    },
    {
      title: 'ComputeDomains',
      panels: [
        {
          title: 'Domains',
          about: 'By global status.',
          unit: 'short',
          queries: one('{{status}}', sum('status', gauge('nvidia_dra_compute_domain_info'))),
        },
        statesOf(
          'Cliques: membership',
          'computedomainclique',
          'membership',
          'complete is well; degraded lacks a node that was there.',
        ),
      ],
    },
  ],
};
