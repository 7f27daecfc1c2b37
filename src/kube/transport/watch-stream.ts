// Reads the answer to a watch request: lines of JSON become events for the sink, and whatever ends
// the stream becomes the one `closed` that the sink is promised. http.ts calls it per watch.
import { isObject } from '#machines/kubernetes/json.ts';
import { versionInLine } from '../watch/echo.ts';
import { LineSplitter } from './lines.ts';
import { parseJson } from './parse.ts';
import type { KubeResponse, WatchEnd, WatchSink } from './transport.ts';

export interface WatchReading {
  readonly signal: AbortSignal;
  readonly maxLineBytes: number;
  /** Sends the request; `onData` takes the body of a 200. Resolves at the end of the body. */
  readonly open: (onData: (chunk: Buffer) => void) => Promise<KubeResponse>;
}

/** Never rejects. */
export async function readWatch(sink: WatchSink, reading: WatchReading): Promise<void> {
  sink.closed(await follow(sink, reading));
}

async function follow(
  sink: WatchSink,
  { signal, maxLineBytes, open }: WatchReading,
): Promise<WatchEnd> {
  const lines = new LineSplitter(maxLineBytes);
  // A sink may close its watch at any event; what came in the same chunk is then not for it.
  const take = (line: string): void => {
    if (!signal.aborted && !isEcho(line, sink)) sink.event(eventOf(line));
  };
  try {
    const response = await open((chunk) => lines.push(chunk, take));
    if (signal.aborted) return { kind: 'aborted' };
    if (response.status !== 200) return { kind: 'refused', response };
    if (lines.isInLine) throw new Error('the stream ended in the middle of a line');
    return { kind: 'ended' };
  } catch (error) {
    return signal.aborted ? { kind: 'aborted' } : { kind: 'ended', error };
  }
}

function isEcho(line: string, sink: WatchSink): boolean {
  if (sink.isEcho === undefined) return false;
  const version = versionInLine(line);
  return version !== undefined && sink.isEcho(version);
}

function eventOf(line: string): { type: string; object: unknown } {
  const event = parseJson(line);
  if (!isObject(event) || typeof event['type'] !== 'string') {
    throw new TypeError('a line of the watch has no "type": an event of a watch was expected');
  }
  return { type: event['type'], object: event['object'] };
}
