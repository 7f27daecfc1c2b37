// The headers that a proxy hands on: all but those of the connection. Used by the pipe and by what
// is built upon it.

const ofConnection =
  /^(?:connection|keep-alive|host|te|trailer|transfer-encoding|upgrade|expect)$/i;

/** As Node gives them, names and values in turn. */
export function endToEnd(raw: readonly (string | Buffer)[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]);
    if (!ofConnection.test(name)) kept.push(name, String(raw[at + 1]));
  }
  return kept;
}
