// What Kubernetes accepts as names, labels, annotations and keys, with the complaints that a client
// sees. Each function returns the complaints about one value; an empty list means that it is good.

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelKey})?`;
const configKey = '[-._a-zA-Z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const patterns = {
  label: whole(label),
  subdomain: whole(subdomain),
  label1035: whole(label1035),
  labelKey: whole(labelKey),
  labelValue: whole(labelValue),
  configKey: whole(configKey),
  /** Printable ASCII without `=` (relaxed environment variable validation, on since 1.34). */
  environment: /^[ -<>-~]+$/,
} as const;

/** Kubernetes' way to say what a pattern wants. */
function wants(message: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example, i) => (i === 0 ? `'${example}'` : ` or '${example}'`));
  return `${message} (e.g. ${shown.join(', ')}, regex used for validation is '${pattern}')`;
}

type Unit = 'characters' | 'bytes';

/** Names are counted in characters, keys and values of labels in bytes. */
const tooLong = (limit: number, unit: Unit = 'characters'): string =>
  `must be no more than ${limit} ${unit}`;

const labelWant = wants(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'," +
    ' and must start and end with an alphanumeric character',
  label,
  'my-name',
  '123-abc',
);
const subdomainWant = wants(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'," +
    ' and must start and end with an alphanumeric character',
  subdomain,
  'example.com',
);
const label1035Want = wants(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-'," +
    ' start with an alphabetic character, and end with an alphanumeric character',
  label1035,
  'my-name',
  'abc-123',
);
const keyWords =
  "must consist of alphanumeric characters, '-', '_' or '.'," +
  ' and must start and end with an alphanumeric character';
const keyWant = wants(keyWords, labelKey, 'MyName', 'my.name', '123-abc');
const valueWant = wants(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'," +
    ' and must start and end with an alphanumeric character',
  labelValue,
  'MyValue',
  'my_value',
  '12345',
);
const configKeyWant = wants(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  'key.name',
  'KEY_NAME',
  'key-name',
);

function check(value: string, pattern: RegExp, want: string, limit: number, unit?: Unit): string[] {
  const complaints = value.length > limit ? [tooLong(limit, unit)] : [];
  if (!pattern.test(value)) complaints.push(want);
  return complaints;
}

/** What would do as a subdomain is told the one thing that is wrong with it. */
export const checkLabel = (value: string): string[] =>
  !patterns.label.test(value) && patterns.subdomain.test(value)
    ? [...(value.length > 63 ? [tooLong(63)] : []), 'must not contain dots']
    : check(value, patterns.label, labelWant, 63);
export const checkSubdomain = (value: string): string[] =>
  check(value, patterns.subdomain, subdomainWant, 253);
export const checkLabel1035 = (value: string): string[] =>
  check(value, patterns.label1035, label1035Want, 63);
export const checkLabelValue = (value: string): string[] =>
  check(value, patterns.labelValue, valueWant, 63, 'bytes');

/** Keys of ConfigMaps and Secrets. */
export function checkConfigKey(value: string): string[] {
  const complaints = check(value, patterns.configKey, configKeyWant, 253);
  if (value === '.' || value === '..') complaints.push(`must not be '${value}'`);
  else if (value.startsWith('..')) complaints.push("must not start with '..'");
  return complaints;
}

/** Label keys, annotation keys, finalizers, resource names: `[prefix/]name`. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${keyWant} ${prefix}`];
  }
  const complaints: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const wrong = prefix === '' ? ['must be non-empty'] : checkSubdomain(prefix);
    complaints.push(...wrong.map((complaint) => `prefix part ${complaint}`));
  }
  const name = parts.at(-1) ?? '';
  if (name === '') complaints.push('name part must be non-empty');
  else if (name.length > 63) complaints.push(`name part ${tooLong(63, 'bytes')}`);
  if (!patterns.labelKey.test(name)) complaints.push(`name part ${keyWant}`);
  return complaints;
}

/** Names that only have to be safe in a path: RBAC objects. */
export function checkPathSegment(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((bad) => value.includes(bad)).map((bad) => `may not contain '${bad}'`);
}

export function checkEnvironmentName(value: string): string[] {
  if (patterns.environment.test(value)) return [];
  return [
    'a valid environment variable name must consist only of printable ASCII characters' +
      " other than '='",
  ];
}

const rules = {
  subdomain: checkSubdomain,
  label: checkLabel,
  label1035: checkLabel1035,
  path: checkPathSegment,
} as const;

/** The rule for `metadata.name` of a kind. */
export type NameRule = keyof typeof rules;

export const checkName = (rule: NameRule, value: string): string[] => rules[rule](value);

/** A generateName may end in a dash, for something is put behind it. */
export const checkNamePrefix = (rule: NameRule, value: string): string[] =>
  rules[rule](value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value);
