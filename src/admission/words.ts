// Small texts that several rules share: durations as Kubernetes writes them, environment variable
// names, and a way to name what is meant.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const whole = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Milliseconds of a duration in Go's notation (`4h0m0s`, `1.5h`), or undefined. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!whole.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(part)) {
    total += Number(amount) * (unitMs[unit] ?? 0);
  }
  return text.startsWith('-') ? -total : total;
}

const environmentName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const environmentWant =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', " +
  "or '.', and must not start with a digit (e.g. 'my.env-name', or 'MY_ENV.NAME', or 'MyEnvName1'," +
  " regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

/** Complaints about the name of an environment variable, by Kubernetes' strict rule. */
export function checkStrictEnvironmentName(name: string): readonly string[] {
  const complaints = environmentName.test(name) ? [] : [environmentWant];
  if (name === '.' || name === '..') complaints.push(`must not be '${name}'`);
  else if (name.startsWith('..')) complaints.push("must not start with '..'");
  return complaints;
}

/** `"a", "b"` */
export const quoted = (names: Iterable<string>): string =>
  [...names].map((name) => JSON.stringify(name)).join(', ');
