// Wraps comments that are too wide, which the formatter leaves alone. Only whole words move, only
// down, and only as far as needed: what fits stays as its author wrote it. Used by format.mjs.

/** Indent, mark and text of a line that is a comment and nothing else. */
const commentLine = /^(\s*)(\/\/|\/\*\*|\*)( +)(\S.*)$/;
/** A line that begins something of its own: an item of a list, a tag, a table. */
const ownStart = /^(?:[-*|@`]|\d+\.)/;

/**
 * The text with no comment line wider than the limit, unless one word is.
 * @param {string} text
 * @param {number} columns
 */
export function wrapComments(text, columns) {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.length <= columns) continue;
    const split = splitLine(line, columns);
    if (split === undefined) continue;
    const joined = join(split.rest, lines[at + 1] ?? '', split);
    lines.splice(at, joined === undefined ? 1 : 2, split.kept, joined ?? split.indent + split.rest);
  }
  return lines.join('\n');
}

/**
 * What fits, what does not, and how a line that goes on begins.
 * @param {string} line
 * @param {number} columns
 */
function splitLine(line, columns) {
  const [, space = '', mark = '', gap = '', text = ''] = commentLine.exec(line) ?? [];
  if (mark === '') return undefined;
  const isClosed = mark !== '//' && text.endsWith('*/');
  const words = (isClosed ? text.slice(0, -2).trimEnd() : text).split(' ');
  const head = space + mark + gap;
  let fitting = words.length;
  while (fitting > 1 && head.length + words.slice(0, fitting).join(' ').length > columns) {
    fitting -= 1;
  }
  // ` */` alone on the next line would not do: take a word along.
  if (isClosed && fitting === words.length && fitting > 1) fitting -= 1;
  if (fitting === words.length) return undefined;
  const isItem = ownStart.test(text) && mark !== '/**';
  const hang = isItem ? `${gap}  ` : gap;
  return {
    kept: head + words.slice(0, fitting).join(' '),
    rest: words.slice(fitting).join(' ') + (isClosed ? ' */' : ''),
    indent: mark === '//' ? `${space}//${hang}` : indentOfBlock(space, mark, isClosed, hang),
    isClosed,
  };
}

/**
 * Lines of a block line up under its text where it is closed on a line with text, else under its
 * star.
 * @param {string} space
 * @param {string} mark
 * @param {boolean} isClosed
 * @param {string} hang
 */
function indentOfBlock(space, mark, isClosed, hang) {
  return mark === '/**' ? `${space} *${isClosed ? '  ' : ' '}` : `${space}*${hang}`;
}

/**
 * The next line with the rest before it, where it goes on with the same sentence.
 * @param {string} rest
 * @param {string} next
 * @param {{ indent: string, isClosed: boolean }} split
 */
function join(rest, next, { indent, isClosed }) {
  const [, space = '', mark = '', gap = '', text = ''] = commentLine.exec(next) ?? [];
  const isSame = !isClosed && mark !== '' && mark !== '/**' && !ownStart.test(text) && text !== '/';
  const begins = space + mark + gap;
  // Two spaces after the star are how a closing line is set; otherwise the indents must agree.
  if (!isSame || (begins !== indent && begins !== `${indent} `)) return undefined;
  return `${begins}${rest} ${text}`;
}
