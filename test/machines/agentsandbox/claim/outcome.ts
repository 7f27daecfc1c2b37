// What is wrong at the end of a history, when nothing fails any more.
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { Process } from './process.ts';
import type { Server } from './server.ts';

/** Each claim that has not expired is Ready with its own Sandbox, and each Sandbox is of the pool
 *  or of a claim that names it. */
export function wrongIn(
  server: Server,
  process: Process,
  { replicas }: { readonly replicas: number },
): readonly string[] {
  const sandboxes = server.byKind('Sandbox');
  const claims = server.byKind('SandboxClaim');
  const named = new Set(claims.map((claim) => at(claim['status'], 'sandbox', 'name')));
  const unnamed = sandboxes.filter(
    (one) => controllerOf(one)?.kind === 'SandboxClaim' && !named.has(one.metadata.name),
  );
  const members = sandboxes.filter((one) => controllerOf(one)?.kind === 'SandboxWarmPool');
  return [
    ...claims.flatMap((claim) =>
      wrongOf(claim, sandboxes).map(
        (what) => `${what}; ${process.why('sandboxclaim', claim.metadata.name).join('; ')}`,
      ),
    ),
    ...unnamed.map(({ metadata }) => `${metadata.name} is of a claim that does not name it`),
    ...(members.length === replicas
      ? []
      : [`${members.length} members; ${process.why('sandboxwarmpool', 'pool').join('; ')}`]),
  ];
}

function wrongOf(claim: KubeObject, sandboxes: readonly KubeObject[]): readonly string[] {
  const { name, uid, annotations } = claim.metadata;
  const own = sandboxes.filter((one) => controllerOf(one)?.uid === uid);
  const bound = at(claim['status'], 'sandbox', 'name');
  const ready = list(at(claim['status'], 'conditions'))
    .filter(isObject)
    .find(({ type }) => type === 'Ready');
  if (at(claim['spec'], 'lifecycle') !== undefined) {
    return own.length === 0 ? [] : [`${name} has expired and has ${own.length} Sandboxes`];
  }
  if (at(claim['spec'], 'env') !== undefined) {
    return ready?.['reason'] === 'EnvVarsInjectionRejected' ? [] : [`${name}: ${say(ready)}`];
  }
  const [first] = own;
  const isRight =
    own.length === 1 && first?.metadata.name === bound && ready?.['status'] === 'True';
  if (isRight) return [];
  const has = own.map(({ metadata }) => metadata.name).join();
  const assigned = String(annotations?.[annotation.assigned]);
  return [`${name}: ${say(ready)}, bound ${String(bound)}, assigned ${assigned}, has ${has}`];
}

const say = (ready: JsonObject | undefined): string =>
  `${String(ready?.['status'])} ${String(ready?.['reason'])} ${String(ready?.['message'])}`;
