// Durations that people write, and results as JSON or YAML.
import { stringify } from 'yaml';
import { durationMs } from '#machines/kubernetes/time.ts';
import { PluginError } from './errors.ts';

/** Longest that can be asked for: a week. */
const longestMs = 7 * 24 * 3_600_000;

/** `30s`, `2m`, `1h30m`, or a number of seconds. */
export function timeoutIn(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : durationMs(text);
  if (ms !== undefined && ms >= 0 && ms <= longestMs) return ms;
  throw new PluginError('usage', `--timeout: "${text}" is no duration; 30s or 2m would be right`);
}

/** Without a line feed at its end. */
export const formatted = (value: unknown, output: string): string =>
  output === 'yaml' ? stringify(value).trimEnd() : JSON.stringify(value, null, 2);
