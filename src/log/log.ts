// The log of a process: one line per event with stable keys, as JSON or for people. main.ts makes
// one and hands `line` to everybody who logs; secrets are masked here and a chatty object is held
// to its share.
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { Telemetry } from '#actors/ports.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { redact } from './redact.ts';
import { createShares, type Level } from './shares.ts';
import { asText } from './text.ts';

/** The keys that come first in every line that has them, in this order. */
export const leadingKeys = [
  'controller',
  'kind',
  'namespace',
  'name',
  'uid',
  'reconcileId',
  'traceId',
] as const;

export interface LogOptions {
  readonly level: Level;
  readonly format: 'json' | 'text';
  /** A file descriptor (2: stderr), a file to append to, or something to write to. */
  readonly destination: number | string | { write(line: string): void };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Log {
  readonly line: Telemetry['log'];
  /** The least severe that is written. */
  readonly level: () => Level;
  /** From now on. A line notes it whatever the levels are: who, from which level, to which. */
  readonly setLevel: (level: Level, by: string) => void;
  /** Writes what is still held back; call it before the process ends. */
  readonly close: () => void;
}

export function createLog({ level, format, destination, now }: LogOptions): Log {
  const { target, close } = open(destination);
  const stream =
    format === 'json' ? target : { write: (line: string) => void target.write(asText(line)) };
  const logger = pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
    },
    stream,
  );
  const shares = createShares(now);
  let current = level;
  return {
    line: (lineLevel, message, fields) => {
      if (!logger.isLevelEnabled(lineLevel)) return;
      // Somebody who asked for debug lines wants all of them.
      const share =
        current === 'debug' ? { write: true, suppressed: 0 } : shares(lineLevel, fields);
      if (!share.write) return;
      logger[lineLevel](ordered(fields, share.suppressed), redactText(message));
    },
    level: () => current,
    setLevel: (wanted, by) => {
      logger.level = 'info';
      logger.info(ordered({ by, from: current, to: wanted }, 0), 'the log level was changed');
      logger.level = current = wanted;
    },
    close,
  };
}

interface Sink {
  readonly target: { write(line: string): unknown };
  readonly close: () => void;
}

/** Written in the background. A file is opened here and now, so that a wrong path fails at
 *  start. */
function open(destination: LogOptions['destination']): Sink {
  if (typeof destination === 'object') return { target: destination, close: () => undefined };
  if (typeof destination === 'string') mkdirSync(dirname(destination), { recursive: true });
  const dest = typeof destination === 'string' ? openSync(destination, 'a') : destination;
  const target = pino.destination({ dest, sync: false });
  return { target, close: () => target.flushSync() };
}

/** Leading keys first, secrets masked; `suppressed` counts the lines left out before this one. */
function ordered(fields: JsonObject, suppressed: number): JsonObject {
  const line: { [key: string]: Json } = {};
  for (const key of leadingKeys) {
    const value = fields[key];
    if (value !== undefined) line[key] = redact(value, key);
  }
  for (const [key, value] of Object.entries(fields)) {
    if (!(key in line)) line[key] = redact(value, key);
  }
  if (suppressed > 0) line['suppressed'] = suppressed;
  return line;
}
