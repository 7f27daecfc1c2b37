// Reads `text/event-stream`: events by type and data, whole ones only, however the bytes come.

export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/** Longest event; a stream that has a longer one is broken. */
const maxEventChars = 16 * 1024 * 1024;

/** Ends with the body. Rejects as the body does. */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n');
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = eventOf(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event !== undefined) yield event;
    }
    if (rest.length > maxEventChars) throw new RangeError('an event of the stream has no end');
  }
}

/** Undefined for a comment. */
function eventOf(block: string): ServerEvent | undefined {
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') type = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { type, data: data.join('\n') };
}
