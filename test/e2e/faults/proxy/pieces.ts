// Cuts bytes where it hurts: inside a character of several bytes. Whoever decodes each piece by
// itself ends with replacement characters.

const longest = 512;

/** Pieces that together are the bytes; each boundary is inside a character where one is near. */
export function pieces(bytes: Buffer): readonly Buffer[] {
  const cut: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = Math.min(bytes.length, cutInside(bytes, start + 1, start + longest));
    cut.push(bytes.subarray(start, end));
    start = end;
  }
  return cut;
}

/** The first place from `from` on that is inside a character; `to` where there is none before. */
function cutInside(bytes: Buffer, from: number, to: number): number {
  for (let index = from; index < Math.min(to, bytes.length); index++) {
    if (isContinuation(bytes[index] ?? 0)) return index;
  }
  return to;
}

/** 10xxxxxx: a byte after the first of a character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;
