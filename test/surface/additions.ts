// What our CRDs and statuses have that the originals have not (specs grove-api 1.2 to 1.6,
// agent-sandbox 1.4, compute-domain 1.1): the reference of the API marks it. A name that is not in
// the CRD fails the build of the page.
export interface Addition {
  readonly kind: string;
  /** A path of the schema, a printer column, or the type of a condition. */
  readonly what: 'field' | 'column' | 'condition' | 'rule';
  /** Of a rule: its message. */
  readonly name: string;
  readonly why: string;
}

const columns = (kind: string, ...names: readonly string[]): readonly Addition[] =>
  names.map((name) => ({ kind, what: 'column', name, why: 'with `-o wide`' }));

const ready = (kind: string): Addition => ({
  kind,
  what: 'condition',
  name: 'Ready',
  why: '`kubectl wait`, Helm `--wait` and kstatus tell when all is done',
});

const parked = (kind: string): Addition => ({
  kind,
  what: 'condition',
  name: 'Parked',
  why: 'its actor was stopped; a new spec starts it again',
});

const rule = (name: string): Addition => ({
  kind: 'PodCliqueSet',
  what: 'rule',
  name,
  why: 'a rule of the webhook that holds while the webhook is away, too',
});

export const additions: readonly Addition[] = [
  ...columns('PodCliqueSet', 'Startup', 'Strategy', 'Hash'),
  rule('field is immutable'),
  rule('the number of cliques cannot change'),
  rule('the number of scaling groups cannot change'),
  ready('PodCliqueSet'),
  ...columns('PodClique', 'Role'),
  ready('PodClique'),
  ...columns('PodCliqueScalingGroup', 'Cliques'),
  ready('PodCliqueScalingGroup'),
  ...columns('PodGang', 'Initialized', 'Scheduled', 'Ready', 'Priority', 'Score'),
  ...columns('ClusterTopologyBinding', 'Levels', 'Drift'),
  {
    kind: 'SandboxWarmPool',
    what: 'field',
    name: 'status.conditions',
    why: 'a refill may be refused, and the original tells nobody',
  },
  ready('SandboxWarmPool'),
  ...[
    'PodCliqueSet',
    'PodClique',
    'PodCliqueScalingGroup',
    'PodGang',
    'ClusterTopologyBinding',
    'Sandbox',
    'SandboxClaim',
    'SandboxWarmPool',
  ].map(parked),
];
