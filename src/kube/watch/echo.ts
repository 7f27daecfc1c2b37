// Echoes: what a watch tells of an object after the reply to our own write has told it. More than
// half of all events are, so they are told from news by their version alone, which no two writes
// share, before anybody parses them. Used by the transports.
import { at, textOf } from '#machines/kubernetes/json.ts';
import type { WatchSink } from '../transport/transport.ts';

const changes = ['{"type":"ADDED",', '{"type":"MODIFIED",'];
const field = '"resourceVersion":"';

/**
 * The version of the object that a line of a watch adds or changes, read without parsing it.
 * Undefined where that is not certain: another type of event, or another field of that name in the
 * object. Within a string the quotes of the field would be escaped.
 */
export function versionInLine(line: string): string | undefined {
  if (!changes.some((change) => line.startsWith(change))) return undefined;
  const at = line.indexOf(field);
  if (at < 0 || line.includes(field, at + 1)) return undefined;
  const from = at + field.length;
  const version = line.slice(from, line.indexOf('"', from));
  return /^\d+$/.test(version) ? version : undefined;
}

/** Gives the sink an event that is parsed already, unless it is an echo. */
export function handOver(
  sink: WatchSink,
  event: { readonly type: string; readonly object: unknown },
): void {
  const { type, object } = event;
  if (sink.isEcho !== undefined && (type === 'ADDED' || type === 'MODIFIED')) {
    const version = textOf(at(object, 'metadata', 'resourceVersion'));
    if (version !== undefined && sink.isEcho(version)) return;
  }
  sink.event(event);
}
