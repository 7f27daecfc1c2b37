// What must hold of claims, Sandboxes and pods when all is over, by the objects themselves.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { bindingsOf } from '#test/bench/claims/bindings.ts';
import { conditionOf } from '#src/bench/onlooker.ts';

interface Found {
  readonly pools: readonly unknown[];
  readonly claims: readonly unknown[];
  readonly sandboxes: readonly unknown[];
  readonly pods: readonly unknown[];
}

/** Claims that are not Ready, or have not exactly one Sandbox; Sandboxes of nobody, members too
 *  many or too few, pods of nobody. */
export function damageIn(
  wanted: Readonly<Record<string, number>>,
  { pools, claims, sandboxes, pods }: Found,
): readonly string[] {
  const { double_bindings: double } = bindingsOf(claims, sandboxes);
  const unready = claims.filter((one) => conditionOf(one, 'Ready') !== 'True');
  const owners = new Set([...claims, ...pools].map(uidOf));
  const orphans = sandboxes.filter((one) => !owners.has(ownerOf(one, 'uid')));
  const members = sandboxes.filter((one) => ownerOf(one, 'kind') === 'SandboxWarmPool');
  const wrong = Object.entries(wanted).flatMap(([pool, count]) => {
    const own = members.filter((one) => ownerOf(one, 'name') === pool).length;
    return own === count ? [] : [`${pool} has ${own} members of ${count}`];
  });
  const uids = new Set(sandboxes.map(uidOf));
  const strays = pods.filter((one) => !uids.has(ownerOf(one, 'uid')));
  return [
    ...(double === 0 ? [] : [`${double} bindings are wrong`]),
    ...unready.map((one) => `claim ${nameOf(one)}: ${readySaid(one)}`),
    ...orphans.map((one) => `Sandbox ${nameOf(one)} of nobody`),
    ...wrong,
    ...(pods.length === sandboxes.length ? [] : [`${pods.length} pods of ${sandboxes.length}`]),
    ...strays.map((one) => `pod ${nameOf(one)} of nobody`),
  ];
}

export const nameOf = (object: unknown): string => text(at(object, 'metadata', 'name'));
export const uidOf = (object: unknown): string => text(at(object, 'metadata', 'uid'));

/** Of the controller; empty for an orphan. */
export const ownerOf = (object: unknown, field: 'uid' | 'kind' | 'name'): string => {
  const references = list(at(object, 'metadata', 'ownerReferences'));
  return text(
    at(
      references.find((one) => at(one, 'controller') === true),
      field,
    ),
  );
};

/** The condition Ready, or another: `False TemplateNotFound: SandboxTemplate "x" not found`. */
export function readySaid(object: unknown, type = 'Ready'): string {
  const row = list(at(object, 'status', 'conditions')).find((one) => at(one, 'type') === type);
  if (row === undefined) return '';
  return `${text(at(row, 'status'))} ${text(at(row, 'reason'))}: ${text(at(row, 'message'))}`;
}
