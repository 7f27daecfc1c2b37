// Regular expressions as Go writes them (RE2) for JavaScript's engine: patterns of schemas and the
// `matches` family of rules.

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/**
 * The expression of an RE2 source. Flags at its start, `\A`, `\z`, named groups and POSIX classes
 * are translated. Throws a SyntaxError for what cannot be read.
 */
export function patternOf(source: string, flags = ''): RegExp {
  const [, letters = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  const body = source
    .slice(letters === '' ? 0 : letters.length + 3)
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\\A/g, '^')
    .replaceAll(/\\z/g, '$')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole);
  try {
    return new RegExp(body, `${flags}${letters}u`);
  } catch {
    // Go takes escapes such as `\-` outside of classes, which only the older mode takes.
    return new RegExp(body, flags + letters);
  }
}
