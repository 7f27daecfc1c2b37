// Texts that are made of others: what people and attackers do to inputs. Pure; chance comes in.

export interface Draw {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  one<T>(all: readonly [T, ...T[]]): T;
}

export const drawing = (random: () => number): Draw => ({
  below: (count) => Math.floor(random() * count),
  one: (all) => all[Math.floor(random() * all.length)] ?? all[0],
});

/** Longer texts are cut: what is read has limits of its own, and time is what is judged. */
export const maxLength = 64 * 1024;

/** What parsers stumble over, whatever they parse. */
const usual = [
  ...['', ' ', '\n', '\r\n', '\t', '\0', '\ufeff', '\u2028', '\ud800', '\uffff', 'é'],
  ...['0', '-0', '-1', '1e309', '9007199254740993', 'NaN', '0x10', '1_000', '.5', '+'],
  ...['null', 'true', '[]', '{}', '""', "'", '"', '\\', '\\u0000', '`', '${x}', '%00', '%', '..'],
  ...['__proto__', 'constructor', 'toString', '{"__proto__":{"a":1}}', 'hasOwnProperty'],
  ...['<script>', '$(x)', '&', '=', ':', ',', ';', '/', '*', '&a', '*a', '!!js', '---', '#', '|'],
] as const;

type Mutation = (text: string, draw: Draw, others: readonly string[], tokens: Tokens) => string;
export type Tokens = readonly [string, ...string[]];

const at = (text: string, draw: Draw): number => draw.below(text.length + 1);

/** Two places of the text, in order. */
function span(text: string, draw: Draw): readonly [number, number] {
  const [a, b] = [at(text, draw), at(text, draw)];
  return a < b ? [a, b] : [b, a];
}

const insertion: Mutation = (text, draw, _, tokens) => {
  const place = at(text, draw);
  const all: Tokens = draw.below(2) === 0 ? tokens : [...usual];
  return text.slice(0, place) + draw.one(all) + text.slice(place);
};

const replacement: Mutation = (text, draw, _, tokens) => {
  const [from, to] = span(text, draw);
  const all: Tokens = draw.below(2) === 0 ? tokens : [...usual];
  return text.slice(0, from) + draw.one(all) + text.slice(to);
};

const deletion: Mutation = (text, draw) => {
  const [from, to] = span(text, draw);
  return text.slice(0, from) + text.slice(to);
};

const flip: Mutation = (text, draw) => {
  const place = at(text, draw);
  const code = (text.charCodeAt(place) || 0) ^ (1 << draw.below(16));
  return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
};

/** Finds loops that take the square of a length, and expressions that backtrack. */
const repetition: Mutation = (text, draw) => {
  const [from, to] = span(text, draw);
  const piece = text.slice(from, Math.min(to, from + 64));
  const times = 2 ** draw.below(14);
  return text.slice(0, from) + piece.repeat(times).slice(0, maxLength) + text.slice(to);
};

/** As deep as it goes. */
const nesting: Mutation = (text, draw) => {
  const depth = 2 ** draw.below(13);
  const [open, close] = draw.one([
    ['[', ']'],
    ['{"a":', '}'],
    ['(', ')'],
    ['- ', ''],
  ]);
  return open.repeat(depth) + text + close.repeat(depth);
};

const splice: Mutation = (text, draw, others) => {
  const other = others[draw.below(others.length)] ?? '';
  return text.slice(0, at(text, draw)) + other.slice(at(other, draw));
};

const mutations: readonly [Mutation, ...Mutation[]] = [
  insertion,
  insertion,
  replacement,
  deletion,
  flip,
  repetition,
  nesting,
  splice,
];

/** One to four mutations of one of the texts. */
export function mutated(texts: readonly string[], tokens: Tokens, draw: Draw): string {
  let text = texts[draw.below(texts.length)] ?? '';
  for (let left = 1 + draw.below(4); left > 0; left--) {
    text = draw.one(mutations)(text, draw, texts, tokens).slice(0, maxLength);
  }
  return text;
}
