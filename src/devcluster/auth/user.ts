// Who asks: the identity that authentication found, as TokenReview and SelfSubjectReview show it.

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The identity of the kubeconfig that the cluster writes, and of its own controllers. */
export const adminUser: User = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

export const serviceAccountUser = (namespace: string, name: string, uid: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
