// Who asks: the identity that authentication found, as TokenReview and SelfSubjectReview show it.

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The identity of the kubeconfig that the cluster writes. */
export const adminUser: User = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** What the server itself does: the initial objects, the end of a CRD. */
export const serverUser: User = {
  name: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

/** The simulated scheduler, kubelet, garbage collector and so on. */
export const controllerUser: User = {
  name: 'system:kube-controller-manager',
  groups: ['system:authenticated'],
};

export const serviceAccountUser = (namespace: string, name: string, uid: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
