// The log of the agent: JSON lines with the keys of src/log/log.ts, by hand. pino would cost a
// tenth of the memory that the agent may take.
import type { Telemetry } from '#actors/ports.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { redact } from '#src/log/redact.ts';

export type AgentLog = Telemetry['log'];

/** `write` takes a line with its line feed. */
export const lineLog =
  (isVerbose: boolean, now: () => number, write: (line: string) => void): AgentLog =>
  (level, message, fields) => {
    if (level === 'debug' && !isVerbose) return;
    const shown = Object.entries(fields).map(([key, value]) => [key, redact(value, key)] as const);
    const time = new Date(now()).toISOString();
    const line = { level, time, ...Object.fromEntries(shown), msg: redactText(message) };
    write(`${JSON.stringify(line)}\n`);
  };
