// The parts of the configuration about admission: the webhooks themselves, the authorizer, and the
// two switches that decide what is allowed in a spec (spec api 6.2).
import { boolean, integer, listOf, oneOf, section, text } from './field.ts';

export const admission = section('The admission webhooks, over TLS.', {
  enabled: boolean(false, 'True: the webhooks are served.'),
  bindAddress: text('0.0.0.0', 'Address to listen on.'),
  port: integer({ least: 0, most: 65_535 }, 2750, 'Port of the webhooks; 0: any free port.'),
  registration: oneOf(
    ['none', 'service', 'url'],
    'none',
    'What registers the webhooks: `none`: the chart or an administrator; `service`: this process, by its Service; `url`: this process, by its address, for an API server on the same host.',
  ),
  serviceName: text('grove-operator', 'Service by which the API server reaches the webhooks.'),
  certificates: section('The certificate of the webhooks.', {
    mode: oneOf(
      ['auto', 'manual'],
      'auto',
      '`auto`: this process creates, rotates and trusts it, in a Secret; `manual`: files that somebody else writes.',
    ),
    secretName: text('grove-webhook-server-cert', 'The Secret, in the namespace of the process.'),
    directory: text(
      '/etc/grove-operator/webhook-certs',
      'Folder with `tls.crt` and `tls.key`, for `manual`; read again when they change. With `ca.crt` beside them, webhooks that this process registers trust that.',
    ),
    authorityDays: integer({ least: 1, most: 7300 }, 730, 'Lifetime of the authority, for `auto`.'),
    certificateDays: integer(
      { least: 1, most: 3650 },
      90,
      'Lifetime of a certificate, for `auto`.',
    ),
  }),
});

/** Those that Grove's chart exempts (spec api 6.2): without them no token Secret is filled, nothing
 *  is collected in the foreground and no autoscaler goes with its set. */
export const kubernetesAndKai: readonly string[] = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:horizontal-pod-autoscaler',
  'system:kube-controller-manager',
  'system:serviceaccount:kai-scheduler:pod-grouper',
  'system:serviceaccount:kai-scheduler:binder',
];

export const authorizer = section('Protection of what PodCliqueSets manage.', {
  enabled: boolean(false, 'True: only the controller may change managed objects.'),
  exemptServiceAccountUserNames: listOf(
    text('system:serviceaccount:kube-system:generic-garbage-collector', 'A user name.'),
    kubernetesAndKai,
    'Other users that may change them, by their exact names; your list replaces the default.',
  ),
});

/** Scheduler backends that have a name of their own (spec api 6.2). */
export const schedulerNames = [
  'default-scheduler',
  'kai-scheduler',
  'volcano',
  'lpx-scheduler',
] as const;

export const topologyAwareScheduling = section('Placement by topology.', {
  enabled: boolean(
    false,
    'False: a new PodCliqueSet must not have a topologyConstraint, and PodGangs carry none.',
  ),
});

export const network = section('Multi-node NVLink.', {
  autoMNNVLEnabled: boolean(
    false,
    'True: ComputeDomains are created for cliques with `grove.io/mnnvl-group`.',
  ),
});
