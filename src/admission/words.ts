// Small texts that several rules share: what is wrong with the name of an environment variable, and
// a way to list names.

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
