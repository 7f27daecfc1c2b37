// Turns a JSON line of the log into a line for people: time, level, controller, object, message,
// and the other fields as key=value. Used where `log.format` is `text`.

/** Takes and gives a line with its line feed; what is no JSON object passes as it is. */
export function asText(line: string): string {
  const fields = parse(line);
  if (fields === undefined) return line;
  const { time, level, controller, kind, namespace, name, msg, ...rest } = fields;
  const object = [kind, namespace, name].filter((part) => typeof part === 'string').join('/');
  const words = [
    shown(time).slice(11, 23),
    shown(level).toUpperCase().padEnd(5),
    shown(controller),
    object,
    shown(msg),
    ...Object.entries(rest).map(([key, value]) => `${key}=${shown(value)}`),
  ];
  return `${words.filter((word) => word !== '').join(' ')}\n`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
