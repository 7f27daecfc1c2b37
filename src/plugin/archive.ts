// A tar archive in the format `ustar`, gzipped: files with a name and a text, nothing else. Written
// by support-bundle.ts; any tar reads it.
import { gzipSync } from 'node:zlib';

export interface ArchivedFile {
  /** With slashes. */
  readonly name: string;
  readonly text: string;
}

const blockBytes = 512;
/** The field for the name, and the one for the folders before it. */
const maxName = 100;
const maxPrefix = 155;

/** `seconds`: when it was written, since 1970. */
export function archive(files: readonly ArchivedFile[], seconds: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    return [header(name, content.length, seconds), content, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

function header(path: string, bytes: number, seconds: number): Buffer {
  const { prefix, name } = split(path);
  const block = Buffer.alloc(blockBytes);
  const put = (at: number, text: string): void => void block.write(text, at);
  const octal = (value: number, width: number): string =>
    value.toString(8).padStart(width - 1, '0');
  put(0, name);
  put(100, octal(0o644, 8));
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
