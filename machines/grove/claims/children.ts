// What writes on children and on shared claims come to, for whoever has replicas with both.
import type { ObjectRef } from '../../contract/address.ts';
import { childOf, hasRow } from '../children/reduce.ts';
import { touch } from '../children/replicas.ts';
import type { ReplicaBook } from '../children/replicas.ts';
import type { ChildTable, ObservedByKind } from '../children/type.ts';
import { isWorthTelling, recorded } from '../failure-log.ts';
import type { FailedEffect } from '../failure-log.ts';
import { indexOfClaim } from '../objects/names.ts';
import { claimAt } from './reduce.ts';
import type { Sharer } from './reduce.ts';

/** The replica that an object belongs to, by its name. */
const replicaOf = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  parent: string,
  { kind, name }: ObjectRef,
): number | undefined => {
  if (kind === 'ResourceClaim') return indexOfClaim(parent, name);
  return hasRow(table, kind) ? table[kind].place(parent, name)?.replica : undefined;
};

/** The replica of the child or claim is planned again. */
export function withTouched<Observed extends ObservedByKind<Observed>, Context extends Sharer>(
  table: ChildTable<Observed, never>,
  context: Context & ReplicaBook<Observed>,
  ref: ObjectRef,
): Context {
  const index = replicaOf(table, context.key.name, ref);
  return index === undefined ? context : touch(context, index, (replica) => replica);
}

/** The context after a failed write on a child or a claim of one of `wanted` replicas. */
export function withFailedWrite<Observed extends ObservedByKind<Observed>, Context extends Sharer>(
  table: ChildTable<Observed, never>,
  context: Context & ReplicaBook<Observed>,
  event: FailedEffect,
  wanted: number,
): Context {
  const { op, ref } = event;
  const index = replicaOf(table, context.key.name, ref);
  const child = childOf(table, context, context.key.name, ref);
  const claim = ref.kind === 'ResourceClaim' ? claimAt(context, ref.name) : undefined;
  // A write whose answer was an error may have been done all the same, and be seen already. And
  // what was asked for before a scale-in is wanted by nobody.
  const isSurplus = index !== undefined && index >= wanted;
  if (op === 'create' && (isSurplus || (child ?? claim) !== undefined)) return context;
  const next = { ...context, errors: recorded(context.errors, event) };
  const isRefusal = op === 'delete' && isWorthTelling(event);
  if (!isRefusal || index === undefined || child === undefined) return next;
  // Remembered by UID: nothing waits for that child any more.
  return touch<Observed, Context>(next, index, (replica) => ({
    ...replica,
    refused: new Set([...replica.refused, child.uid]),
  }));
}
