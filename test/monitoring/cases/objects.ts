// Of the alerts about objects: reconciles and writes that fail, and what is not as it should be.
import {
  type AlertCase,
  buckets,
  controller,
  job,
  namespace,
  ofClique,
  other,
  our,
} from './case.ts';

const started = 'agent_sandbox_claim_controller_startup_latency_ms';
const membership = (state: string): string =>
  `coppice_actor_states{${our},controller="computedomainclique",state="active.membership.${state}"}`;

export const ofObjects: Readonly<Record<string, AlertCase>> = {
  CoppiceReconcileErrors: {
    firing: {
      series: {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0+6x60',
        [`controller_runtime_reconcile_total{${ofClique},result="error"}`]: '0+6x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0+54x60',
      },
      at: '20m',
      labels: { namespace, job, controller },
      description:
        '10% of the reconciles of podclique-controller of coppice crash. This is a bug in Coppice, or an object that it cannot read.',
    },
    quiet: {
      'one of a hundred': {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0+1x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0+100x60',
      },
      'nothing to reconcile': {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0x60',
      },
    },
  },
  CoppicePersistentErrors: {
    firing: {
      series: {
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="denied"}`]: '0+1x60',
      },
      at: '20m',
      labels: { namespace, job, controller, error_type: 'denied' },
      description:
        'podclique-controller of coppice has met errors of type denied for 15 minutes. Somebody has to change permissions, an object or the program.',
    },
    quiet: {
      'many errors that end by themselves': {
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="conflict"}`]: '0+50x60',
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="throttled"}`]: '0+50x60',
      },
      'errors of Grove itself': {
        [`grove_operator_reconcile_errors_total{${other},error_type="denied"}`]: '0+1x60',
      },
    },
  },
  CoppiceObjectStuck: {
    firing: {
      series: { [`coppice_write_failing_seconds{${ofClique}}`]: '0+60x17 0 1080+60x20' },
      at: '25m',
      labels: { namespace, job, controller },
      description:
        'podclique-controller of coppice has tried to write an object for 24m 0s, and the API server has not taken it.',
    },
    quiet: {
      'ten minutes without an API server': {
        [`coppice_write_failing_seconds{${ofClique}}`]: '0+60x10 0x50',
      },
    },
  },
  CoppiceActorsParked: {
    firing: {
      series: { [`coppice_actors_parked{${ofClique}}`]: '0x3 2x20' },
      at: '10m',
      labels: { namespace, job, controller },
      description:
        '2 objects of podclique-controller of coppice are parked: their actors failed again and again, or somebody parked them.',
    },
    quiet: { none: { [`coppice_actors_parked{${ofClique}}`]: '0x30' } },
  },
  CoppiceCliqueIncomplete: {
    firing: {
      series: { [membership('forming')]: '1x60', [membership('degraded')]: '2x60' },
      at: '35m',
      labels: { namespace, job },
      description:
        '3 cliques of ComputeDomains of coppice have lacked nodes, or had too many, for half an hour. Their workloads wait, or run without memory of other nodes.',
    },
    quiet: {
      'cliques that are complete after ten minutes': {
        [membership('forming')]: '1x10 _x50',
        [membership('complete')]: '2x10 3x50',
      },
    },
  },
  CoppiceClaimsSlow: {
    firing: {
      series: buckets(started, `${our},launch_type="warm",sandbox_template="python"`, {
        2500: '0x60',
        5000: '0+60x60',
        '+Inf': '0+60x60',
      }),
      at: '25m',
      labels: { namespace, job, sandbox_template: 'python' },
      description:
        'One in twenty claims on warm pools of python of coppice waits longer than 4875 ms.',
    },
    quiet: {
      'claims that start cold': buckets(
        started,
        `${our},launch_type="cold",sandbox_template="python"`,
        { 2500: '0x60', 5000: '0+60x60', '+Inf': '0+60x60' },
      ),
    },
  },
};
