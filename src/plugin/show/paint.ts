// Colours of a terminal, as functions on a text. Without colours they return it as it is.

export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly waiting: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

const same = (text: string): string => text;
const code =
  (number: number) =>
  (text: string): string =>
    text === '' ? text : `\u001b[${number}m${text}\u001b[0m`;

const plain: Paint = { good: same, bad: same, waiting: same, faint: same, strong: same };
const coloured: Paint = {
  good: code(32),
  bad: code(31),
  waiting: code(33),
  faint: code(2),
  strong: code(1),
};

export const paintFor = (isColoured: boolean): Paint => (isColoured ? coloured : plain);
