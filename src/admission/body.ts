// The body of a review: read up to a size, refused where it is nested too deeply, and parsed at a
// pace that leaves the event loop to others. Called by src/admission/server.ts.
import type { IncomingMessage } from 'node:http';
import { realTurns, Slices, type Turns } from '#src/http/slices.ts';
import { largeBodyBytes, maxBodyBytes, maxBodyDepth } from './limits.ts';

export type Body =
  | { readonly is: 'read'; readonly value: unknown }
  /** The client is gone. */
  | { readonly is: 'gone' }
  | { readonly is: 'refused'; readonly status: 400 | 413; readonly why: string };

/** Small bodies cost less than a millisecond and wait for nobody. Large ones are parsed one after
 *  the other, each after a pause as long as the one before has taken: half of the time is left. */
export class Bodies {
  readonly #turns: Turns;
  #last: Promise<void> = Promise.resolve();

  constructor(turns: Turns = realTurns) {
    this.#turns = turns;
  }

  async read(request: IncomingMessage): Promise<Body> {
    const bytes = await bytesOf(request);
    if (bytes === 'gone') return { is: 'gone' };
    if (bytes === 'too large') {
      return { is: 'refused', status: 413, why: `the body has more than ${maxBodyBytes} bytes` };
    }
    if (await isTooDeep(bytes, new Slices(this.#turns, 1))) {
      const why = `the body is nested more than ${maxBodyDepth} deep`;
      return { is: 'refused', status: 400, why };
    }
    const value = bytes.length < largeBodyBytes ? parse(bytes) : await this.#inTurn(bytes);
    return { is: 'read', value };
  }

  #inTurn(bytes: Buffer): Promise<unknown> {
    const parsed = this.#last.then(() => {
      const begun = this.#turns.now();
      const value = parse(bytes);
      return { value, until: 2 * this.#turns.now() - begun };
    });
    this.#last = parsed.then(async ({ until }) => {
      do await this.#turns.turn();
      while (this.#turns.now() < until);
    });
    return parsed.then(({ value }) => value);
  }
}

function bytesOf(request: IncomingMessage): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else resolve('too large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}

const quote = 0x22;
const backslash = 0x5c;
/** With this bit set a bracket is a brace, and nothing else becomes one. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;
/** Half a millisecond of work. */
const pieceBytes = 64 * 1024;

/** Counts brackets outside of texts; nothing is parsed for that, and nothing recurs. */
async function isTooDeep(bytes: Buffer, slices: Slices): Promise<boolean> {
  const found = { at: 0, depth: 0 };
  while (found.at < bytes.length && found.depth <= maxBodyDepth) {
    scan(bytes, found);
    if (slices.isOver) await slices.pause();
  }
  return found.depth > maxBodyDepth;
}

/** One piece, or to the bracket that is one too many. */
function scan(bytes: Buffer, found: { at: number; depth: number }): void {
  const end = Math.min(bytes.length, found.at + pieceBytes);
  let { at, depth } = found;
  for (; at < end && depth <= maxBodyDepth; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfText(bytes, at);
    else if ((byte | braceBit) === opening) depth++;
    else if ((byte | braceBit) === closing) depth--;
  }
  found.at = at;
  found.depth = depth;
}

/** Where the quote is that ends the text which begins here. */
function endOfText(bytes: Buffer, begin: number): number {
  for (let end = bytes.indexOf(quote, begin + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return bytes.length;
}

/** Undefined for what is not JSON. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
