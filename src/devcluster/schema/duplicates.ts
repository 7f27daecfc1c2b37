// Fields that stand twice in the text of a JSON object. JSON.parse keeps the last without a word;
// strict field validation reports them. The REST layer calls this on the body of a write.

/** Paths of repeated fields, e.g. `spec.replicas`, in the order of the text. */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  const stack: Scope[] = [];
  for (const match of text.matchAll(tokens)) {
    const [token, key] = match;
    const top = stack.at(-1);
    if (key !== undefined && top?.keys !== undefined) {
      const name = unquote(key);
      if (top.keys.has(name)) found.push(printPath(stack, name));
      top.keys.add(name);
      top.step = name;
    } else if (token === '{') stack.push({ keys: new Set(), step: '', index: 0 });
    else if (token === '[') stack.push({ keys: undefined, step: '', index: 0 });
    else if (token === '}' || token === ']') stack.pop();
    else if (token === ',' && top !== undefined && top.keys === undefined) top.index += 1;
  }
  return found;
}

interface Scope {
  /** The names seen so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  step: string;
  index: number;
}

/** A name with its colon, any other text, the marks of structure; the rest is of no interest. */
const tokens = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\],]/g;

function unquote(quoted: string): string {
  const value: unknown = JSON.parse(quoted);
  return String(value);
}

function printPath(stack: readonly Scope[], name: string): string {
  let path = '';
  for (const scope of stack.slice(0, -1)) {
    if (scope.keys === undefined) path += `[${scope.index}]`;
    else path += path === '' ? scope.step : `.${scope.step}`;
  }
  return path === '' ? name : `${path}.${name}`;
}
