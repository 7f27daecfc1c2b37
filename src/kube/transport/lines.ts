// Splits a byte stream into lines, for watches. It looks for the newline in the bytes and decodes
// whole lines only, so a chunk may end anywhere, also inside a character.

const newline = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  /** Pieces of the line that has begun, and their length. */
  #begun: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True while a line has begun and not ended: an end of the stream now cuts it off. */
  get isInLine(): boolean {
    return this.#bytes > 0;
  }

  /** Calls `line` for every line that ends in this chunk, without its newline; empty ones are
   *  dropped. Throws a RangeError at a line longer than the limit. */
  push(chunk: Buffer, line: (text: string) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const text = this.#finish(chunk.subarray(start, end));
      start = end + 1;
      if (text !== '') line(text);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #finish(piece: Buffer): string {
    if (this.#begun.length === 0 && piece.length <= this.#maxBytes) return piece.toString('utf8');
    this.#keep(piece);
    const text = Buffer.concat(this.#begun, this.#bytes).toString('utf8');
    this.#begun = [];
    this.#bytes = 0;
    return text;
  }

  #keep(piece: Buffer): void {
    this.#begun.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
    }
  }
}
