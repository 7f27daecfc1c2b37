// The PodCliqueSets of the tests on the real control plane, and what is wanted of each: small, with
// one container a pod, tolerating the taint of KWOK's nodes.

export interface CliqueWanted {
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A set as it should stand in the cluster. */
export interface SetWanted {
  readonly name: string;
  readonly replicas: number;
  readonly cliques: readonly CliqueWanted[];
  /** Pods of PodCliques that were scaled by themselves, by the PodClique's name. */
  readonly scaled?: Readonly<Record<string, number>>;
}

export const twoRoles: SetWanted = {
  name: 'demo',
  replicas: 2,
  cliques: [
    { name: 'prefill', replicas: 2, minAvailable: 1, labels: { tier: 'front' } },
    { name: 'decode', replicas: 3 },
  ],
};

/** One clique of two pods: for many replicas. */
export const pairs = (name: string, replicas: number): SetWanted => ({
  name,
  replicas,
  cliques: [{ name: 'w', replicas: 2 }],
});

const template = ({ name, labels, ...spec }: CliqueWanted): unknown => ({
  name,
  ...(labels === undefined ? {} : { labels }),
  spec: {
    roleName: name,
    ...spec,
    podSpec: {
      tolerations: [
        { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
      ],
      containers: [
        {
          name: 'main',
          image: 'registry.example/none:1',
          env: [{ name: 'MINE', value: '$(GROVE_PCLQ_NAME)' }],
          resources: { requests: { cpu: '10m' } },
        },
      ],
    },
  },
});

export const manifest = ({ name, replicas, cliques }: SetWanted): unknown => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec: { replicas, template: { cliques: cliques.map(template) } },
});

/** Every PodClique of a set with the number of pods that it should have. */
export const cliquesOf = (
  wanted: SetWanted,
): readonly { replica: number; name: string; pods: number; clique: CliqueWanted }[] =>
  indices(wanted.replicas).flatMap((replica) =>
    wanted.cliques.map((clique) => {
      const name = `${wanted.name}-${replica}-${clique.name}`;
      return { replica, name, clique, pods: wanted.scaled?.[name] ?? clique.replicas };
    }),
  );

export const podsOf = (wanted: SetWanted): number =>
  cliquesOf(wanted).reduce((sum, { pods }) => sum + pods, 0);

export const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);
