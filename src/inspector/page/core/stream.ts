// Reads a body of `text/event-stream`. EventSource cannot send a token, so fetch opens the stream
// and this takes it apart.

/** Each event's data with its name as `type`; comments and unknown fields are left out. */
export async function* readEvents<T extends { readonly type: string }>(
  response: Response,
): AsyncGenerator<T> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    // One search for the end of the last whole event, as chunks are large and events many.
    const end = rest.lastIndexOf('\n\n');
    if (end < 0) continue;
    const whole = rest.slice(0, end);
    rest = rest.slice(end + 2);
    for (const block of whole.split('\n\n')) {
      const event: T | undefined = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Undefined for a comment. */
function parseEvent(block: string) {
  let type = '';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) type = line.slice(6).trim();
    else if (line.startsWith('data:')) data += line.slice(5).trimStart();
  }
  if (data === '') return undefined;
  return { type, ...JSON.parse(data) };
}
