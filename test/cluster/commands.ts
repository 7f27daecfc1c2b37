// The command lines of the control plane's processes. Everything listens on loopback only.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from './credentials.ts';

/** Client limits as the components name them. */
export interface Limit {
  readonly qps: number;
  readonly burst: number;
}

export interface CommandOptions {
  readonly folder: string;
  readonly port: number;
  readonly ports: {
    readonly etcd: number;
    readonly peer: number;
    readonly manager: number;
    readonly scheduler: number;
  };
  readonly dataFolder: string;
  readonly credentials: Credentials;
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
  readonly audit: boolean;
  /** Admission as strict as some distributions have it. */
  readonly isStrict: boolean;
  /** Kubernetes' own controllers go by their own names, and may do what their roles grant. */
  readonly hasRoles: boolean;
  /** Kubernetes' own gangs (Workload, alpha in 1.35): pods that name one are placed together. */
  readonly hasGangs: boolean;
  /** etcd holds JSON throughout, for who reads it there. */
  readonly hasPlainStorage: boolean;
}

export const processNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const;
export type ProcessName = (typeof processNames)[number];

export const commandLines = (options: CommandOptions): Record<ProcessName, readonly string[]> => ({
  etcd: etcd(options),
  'kube-apiserver': apiServer(options),
  'kube-controller-manager': manager(options),
  'kube-scheduler': scheduler(options),
  kwok: kwok(options),
});

/** No fsync: the data is thrown away with the cluster, and the disk is not what is measured. */
const etcd = ({ dataFolder, ports }: CommandOptions): string[] => [
  '--name=etcd',
  `--data-dir=${dataFolder}`,
  '--unsafe-no-fsync',
  `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
  `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
  `--listen-peer-urls=http://127.0.0.1:${ports.peer}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${ports.peer}`,
  `--initial-cluster=etcd=http://127.0.0.1:${ports.peer}`,
  '--quota-backend-bytes=2147483648',
  '--log-level=warn',
];

function apiServer(options: CommandOptions): string[] {
  const { folder, port, ports, credentials, audit, isStrict, hasGangs, hasPlainStorage } = options;
  const issuer = `https://127.0.0.1:${port}`;
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${credentials.serverCert}`,
    `--tls-private-key-file=${credentials.serverKey}`,
    `--client-ca-file=${credentials.ca}`,
    `--token-auth-file=${credentials.tokens}`,
    `--service-account-issuer=${issuer}`,
    `--service-account-key-file=${credentials.serviceAccountKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    '--authorization-mode=RBAC',
    '--endpoint-reconciler-type=none',
    ...(isStrict ? ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'] : []),
    ...(hasGangs ? gangFlags : []),
    ...(hasPlainStorage ? ['--storage-media-type=application/json'] : []),
    ...(audit ? auditFlags(folder) : []),
  ];
}

const gangFlags = [
  '--feature-gates=GenericWorkload=true',
  '--runtime-config=scheduling.k8s.io/v1alpha1=true',
];

/** Metadata of every finished request but health checks: what the request counts are made of. */
function auditFlags(folder: string): string[] {
  const policy = join(folder, 'audit-policy.json');
  const rules = [{ level: 'None', nonResourceURLs: ['/*'] }, { level: 'Metadata' }];
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived', 'ResponseStarted'],
      rules,
    }),
  );
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(folder, 'audit.log')}`,
    '--audit-log-mode=batch',
    // In megabytes, and 100 unless told: a log that is renamed is read no further.
    '--audit-log-maxsize=100000',
  ];
}

const limitFlags = (limit: Limit | undefined): string[] =>
  limit === undefined ? [] : [`--kube-api-qps=${limit.qps}`, `--kube-api-burst=${limit.burst}`];

const manager = ({ credentials, ports, managerLimit, hasRoles }: CommandOptions): string[] => [
  `--kubeconfig=${credentials.kubeconfigs['kube-controller-manager']}`,
  `--service-account-private-key-file=${credentials.serviceAccountKey}`,
  `--root-ca-file=${credentials.ca}`,
  `--use-service-account-credentials=${hasRoles}`,
  '--leader-elect=false',
  // KWOK's nodes renew no Lease that often: they must not be taken for lost under load.
  '--node-monitor-grace-period=1h',
  '--bind-address=127.0.0.1',
  `--secure-port=${ports.manager}`,
  ...limitFlags(managerLimit),
];

/** The scheduler takes its limits from a configuration file only. */
function scheduler(options: CommandOptions): string[] {
  const { folder, credentials, ports, schedulerLimit, hasGangs } = options;
  const file = join(folder, 'scheduler.json');
  const kubeconfig = credentials.kubeconfigs['kube-scheduler'];
  const limit = schedulerLimit ?? { qps: 50, burst: 100 };
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      leaderElection: { leaderElect: false },
      clientConnection: { kubeconfig, ...limit },
      // The second stands for KAI: for pods that name it, without its gangs.
      profiles: ['default-scheduler', 'kai-scheduler'].map((schedulerName) => ({ schedulerName })),
    }),
  );
  return [
    `--config=${file}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.scheduler}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    ...(hasGangs ? ['--feature-gates=GenericWorkload=true,GangScheduling=true'] : []),
  ];
}

/** Without a configuration KWOK uses its own fast stages: pods are Ready as soon as they are
 *  bound. */
const kwok = ({ credentials }: CommandOptions): string[] => [
  `--kubeconfig=${credentials.kubeconfigs.kwok}`,
  '--manage-all-nodes=false',
  '--manage-nodes-with-label-selector=type=kwok',
  '--node-lease-duration-seconds=0',
];

/** Where a process with this command line listens. */
export const portsOf = (args: readonly string[]): readonly number[] =>
  args.flatMap((arg) => {
    const port = /^--(?:secure-port=|listen-.*-urls=.*:)(\d+)$/.exec(arg)?.[1];
    return port === undefined ? [] : [Number(port)];
  });
