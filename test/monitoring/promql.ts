// Reads PromQL with Prometheus' own grammar: whether it can be read, and which metrics it names.
import { parser } from '@prometheus-io/lezer-promql';

interface Read {
  readonly isWrong: boolean;
  readonly metrics: readonly string[];
}

/** Variables of Grafana stand where Prometheus wants a time. */
const filledIn = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

export function readPromql(expr: string): Read {
  const text = filledIn(expr);
  const metrics = new Set<string>();
  let isWrong = false;
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) isWrong = true;
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        metrics.add(text.slice(from, to));
      }
    },
  });
  return { isWrong, metrics: [...metrics] };
}
