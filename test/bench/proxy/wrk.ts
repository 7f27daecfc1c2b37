// The closed loop: `wrk`, and what its report says.
import { requestHeaders } from './contenders/names.ts';

/** Of one run. */
export interface ClosedFigures {
  readonly requests: number;
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Answers other than 2xx and 3xx, and sockets that failed. */
  readonly failed: number;
}

export const wrkArguments = (port: number, connections: number, seconds: number): string[] => [
  ...['--threads', '1', '--connections', String(connections)],
  ...Object.entries(requestHeaders).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ...['--duration', `${seconds}s`, '--timeout', '10s', '--latency', `http://127.0.0.1:${port}/`],
];

const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Throws where the report has no rate. */
export function readWrk(report: string): ClosedFigures {
  const rate = /^Requests\/sec:\s+([\d.]+)/m.exec(report)?.[1];
  if (rate === undefined) throw new Error(`wrk says no rate: ${report}`);
  const latency = (percent: number): number => {
    const row = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)([a-z]+)`, 'm').exec(report);
    return Number(row?.[1]) * (units[row?.[2] ?? ''] ?? Number.NaN);
  };
  const answers = /^\s*Non-2xx or 3xx responses: (\d+)/m.exec(report)?.[1] ?? 0;
  const sockets = /^\s*Socket errors: (.*)$/m.exec(report)?.[1]?.match(/\d+/g) ?? [];
  return {
    requests: Number(/^\s*(\d+) requests in /m.exec(report)?.[1]),
    per_second: Number(rate),
    p50_ms: latency(50),
    p99_ms: latency(99),
    failed: [answers, ...sockets].map(Number).reduce((sum, one) => sum + one, 0),
  };
}
