// Conflicts of server-side apply and their texts, as kube-apiserver words them; kubectl prints the
// message and programs read the causes.
import type { FieldSet } from './field-set.ts';
import { pathsOf, printPath } from './field-set.ts';
import type { FieldManager } from './managers.ts';

export interface ApplyConflict {
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
  readonly apiVersion: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string;
  readonly time?: string;
}

/** One conflict for each field of the set that the manager would lose. */
export const conflictsWith = (entry: FieldManager, lost: FieldSet): ApplyConflict[] =>
  pathsOf(lost).map((path) => ({
    manager: entry.manager,
    field: printPath(path),
    apiVersion: entry.apiVersion,
    operation: entry.operation,
    subresource: entry.subresource,
    ...(entry.time === undefined ? {} : { time: entry.time }),
  }));

function printManager(conflict: ApplyConflict): string {
  const name = JSON.stringify(conflict.manager);
  const via = conflict.subresource === '' ? '' : ` with subresource "${conflict.subresource}"`;
  return conflict.operation === 'Update'
    ? `${name}${via} using ${conflict.apiVersion}`
    : `${name}${via}`;
}

/** The message of the 409 that refuses an apply. */
export function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first)}: ${first.field}`;
  }
  const byManager = Map.groupBy(conflicts, printManager);
  const lines = [...byManager.keys()].toSorted().flatMap((manager) => {
    const fields = (byManager.get(manager) ?? []).map((conflict) => `- ${conflict.field}`);
    return [`conflicts with ${manager}:`, ...fields];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** The `details.causes` of that 409. */
export const conflictCauses = (
  conflicts: readonly ApplyConflict[],
): { reason: string; message: string; field: string }[] =>
  conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(conflict)}`,
    field: conflict.field,
  }));
