// Reads the answer to a watch request: lines of JSON become events for the sink, and whatever ends
// the stream becomes the one `closed` that the sink is promised. http.ts calls it per watch.
import type { Dispatcher } from 'undici';
import { versionInLine } from './echo.ts';
import { isFields } from './json.ts';
import { LineSplitter } from './lines.ts';
import { parseJson } from './parse.ts';
import type { KubeResponse, WatchEnd, WatchSink } from './transport.ts';

/** Never rejects. `decode` turns a refusal into a response for the sink. */
export async function readWatch(
  opened: Promise<Dispatcher.ResponseData>,
  sink: WatchSink,
  signal: AbortSignal,
  maxLineBytes: number,
  decode: (reply: Dispatcher.ResponseData) => Promise<KubeResponse>,
): Promise<void> {
  sink.closed(await follow(opened, sink, signal, maxLineBytes, decode));
}

async function follow(
  opened: Promise<Dispatcher.ResponseData>,
  sink: WatchSink,
  signal: AbortSignal,
  maxLineBytes: number,
  decode: (reply: Dispatcher.ResponseData) => Promise<KubeResponse>,
): Promise<WatchEnd> {
  try {
    const reply = await opened;
    if (reply.statusCode !== 200) return { kind: 'refused', response: await decode(reply) };
    await readLines(reply.body, sink, signal, maxLineBytes);
    return signal.aborted ? { kind: 'aborted' } : { kind: 'ended' };
  } catch (error) {
    return signal.aborted ? { kind: 'aborted' } : { kind: 'ended', error };
  }
}

async function readLines(
  body: AsyncIterable<unknown>,
  sink: WatchSink,
  signal: AbortSignal,
  maxLineBytes: number,
): Promise<void> {
  const lines = new LineSplitter(maxLineBytes);
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('the stream gave something else than bytes');
    // A sink may close its watch at any event; what came in the same chunk is then not for it.
    lines.push(chunk, (line) => {
      if (!signal.aborted && !isEcho(line, sink)) sink.event(eventOf(line));
    });
  }
  if (lines.isInLine) throw new Error('the stream ended in the middle of a line');
}

function isEcho(line: string, sink: WatchSink): boolean {
  if (sink.isEcho === undefined) return false;
  const version = versionInLine(line);
  return version !== undefined && sink.isEcho(version);
}

function eventOf(line: string): { type: string; object: unknown } {
  const event = parseJson(line);
  if (!isFields(event) || typeof event['type'] !== 'string') {
    throw new TypeError('a line of the watch has no "type": an event of a watch was expected');
  }
  return { type: event['type'], object: event['object'] };
}
