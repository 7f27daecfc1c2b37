// The families of the systems that modules replace, so that their dashboards work. What a module
// does not name is not counted there: conflicts of other kinds are in coppice_writes_total.
import { Counter, type PrometheusContentType, type Registry } from 'prom-client';
import type { Telemetry } from '#actors/ports.ts';
import type { OperatorMetrics } from '#machines/contract/module.ts';
import { errorTypeOf, errorTypes } from './error-types.ts';
import { type Family, operatorFamilies } from './families.ts';

export type OperatorNumbers = Pick<Telemetry, 'statusConflict' | 'reconcileError'>;

/** All series are there from the start: a rate over one that appears with its first event misses
 *  that event. */
export function countOperators(
  registry: Registry<PrometheusContentType>,
  operators: readonly OperatorMetrics[],
): OperatorNumbers {
  const counted = operators.map((operator) => countOperator(registry, operator));
  return {
    statusConflict: (numbers) => {
      for (const one of counted) one.statusConflict(numbers);
    },
    reconcileError: (numbers) => {
      for (const one of counted) one.reconcileError(numbers);
    },
  };
}

function countOperator(
  registry: Registry<PrometheusContentType>,
  operator: OperatorMetrics,
): OperatorNumbers {
  const { controllers, kinds } = operator;
  const families = operatorFamilies(operator);
  const counter = <L extends string>({ name, help, labels }: Family<L> & { name: string }) =>
    new Counter<L>({ name, help, labelNames: labels, registers: [registry] });
  const conflicts = counter(families.statusConflicts);
  const errors = counter(families.reconcileErrors);
  for (const controller of controllers) {
    for (const target_kind of kinds) conflicts.inc({ controller, target_kind }, 0);
    for (const error_type of errorTypes) errors.inc({ controller, error_type }, 0);
  }
  return {
    statusConflict: ({ controller, targetKind: target_kind }) => {
      if (controllers.includes(controller) && kinds.includes(target_kind)) {
        conflicts.inc({ controller, target_kind });
      }
    },
    reconcileError: ({ controller, code }) => {
      if (controllers.includes(controller)) {
        errors.inc({ controller, error_type: errorTypeOf[code] });
      }
    },
  };
}
