// A rule of the activator's spec; `without`: why no test carries its number.
export type Row = string | readonly [text: string, without: string];
