// A tar archive in the format `ustar`, gzipped: files with a name and a content, nothing else. Any
// tar reads it. Written by support-bundle.ts, and for releases by src/bundle/executable.ts.
import { gzipSync } from 'node:zlib';

export interface ArchivedFile {
  /** With slashes. */
  readonly name: string;
  readonly content: string | Uint8Array;
  /** May be run. */
  readonly isProgram?: true;
}

const blockBytes = 512;
/** The field for the name, and the one for the folders before it. */
const maxName = 100;
const maxPrefix = 155;

/** `seconds`: when it was written, since 1970. */
export function archive(files: readonly ArchivedFile[], seconds: number): Buffer {
  const blocks = files.flatMap(({ name, content, isProgram }) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
    const mode = isProgram ? 0o755 : 0o644;
    return [header(name, { bytes: bytes.length, mode, seconds }), bytes, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

interface Attributes {
  readonly bytes: number;
  readonly mode: number;
  readonly seconds: number;
}

function header(path: string, { bytes, mode, seconds }: Attributes): Buffer {
  const { prefix, name } = split(path);
  const block = Buffer.alloc(blockBytes);
  const put = (at: number, text: string): void => void block.write(text, at);
  const octal = (value: number, width: number): string =>
    value.toString(8).padStart(width - 1, '0');
  put(0, name);
  put(100, octal(mode, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(bytes, 12));
  put(136, octal(seconds, 12));
  put(148, '        '); // the checksum counts itself as spaces
  put(156, '0');
  put(257, 'ustar');
  put(263, '00');
  put(345, prefix);
  const sum = block.reduce((all, byte) => all + byte, 0);
  put(148, `${octal(sum, 7)}\0 `);
  return block;
}

/** Longer names than the format has are cut at their beginning: their end tells them apart. */
function split(path: string): { readonly prefix: string; readonly name: string } {
  const safe = path.replaceAll(/[^\w./-]/g, '_');
  if (safe.length <= maxName) return { prefix: '', name: safe };
  const slash = safe.lastIndexOf('/');
  const [folder, file] = [safe.slice(0, slash), safe.slice(slash + 1)];
  return { prefix: folder.slice(0, maxPrefix), name: file.slice(-maxName) };
}
