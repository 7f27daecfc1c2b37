// Which lists the simulator takes for those of actors.
import { expect, test } from 'vitest';
import { listPath } from '#src/kube/paths.ts';
import { straysPath } from '#test/kube/support/straying.ts';
import { isActorList } from './actor-lists.ts';

test('a list is of an actor where it asks for other labels than those of its kind', () => {
  const labelSelector = 'app.kubernetes.io/managed-by=grove-operator,app=a';
  expect(isActorList(listPath('Pod', 500, undefined, { labelSelector, namespace: 'x' }))).toBe(
    true,
  );
  expect(isActorList(listPath('PodClique', 5, 'more', { labelSelector: 'app=a' }))).toBe(true);
  expect(isActorList(listPath('Pod', 500))).toBe(false);
  expect(isActorList(listPath('PodClique', 500))).toBe(false);
  expect(isActorList(straysPath)).toBe(false);
  expect(isActorList('/apis/coordination.k8s.io/v1/leases?limit=5&labelSelector=a%3Db')).toBe(
    false,
  );
});
