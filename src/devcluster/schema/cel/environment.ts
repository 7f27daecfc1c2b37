// The CEL environment of validation rules: self and oldSelf, and the extension functions of
// Kubernetes that rules use. A function that is not here is a compile error when a CRD is created.
import { isIP, isIPv4 } from 'node:net';
import { Environment } from '@marcbachmann/cel-js';
import { checkFormat } from '../formats.ts';
import { patternOf } from '../patterns.ts';

type Ordered = bigint | number | string | Date;

const isOrdered = (value: unknown): value is Ordered =>
  typeof value === 'bigint' ||
  typeof value === 'number' ||
  typeof value === 'string' ||
  value instanceof Date;

function ordered(list: readonly unknown[]): Ordered[] {
  const values = list.filter(isOrdered);
  if (values.length < list.length) throw new Error('the list has items that have no order');
  return values;
}

const isSorted = (list: readonly unknown[]): boolean =>
  ordered(list).every((value, index, all) => {
    const before = all[index - 1];
    return before === undefined || before <= value;
  });

function sum(list: readonly unknown[]): bigint | number {
  if (list.every((item) => typeof item === 'bigint')) {
    return list.reduce((total: bigint, item) => total + item, 0n);
  }
  return list.reduce((total: number, item) => total + Number(item), 0);
}

function extreme(list: readonly unknown[], name: string, sign: 1 | -1): Ordered {
  const [first, ...rest] = ordered(list);
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce(
    (best, value) => ((sign > 0 ? value > best : value < best) ? value : best),
    first,
  );
}

const indexOf = (list: readonly unknown[], wanted: unknown): bigint => BigInt(list.indexOf(wanted));

const quantityPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?\d+))?$/;

const isUrl = (text: string): boolean =>
  URL.canParse(text) && /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

function registerLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', isSorted)
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: unknown[]) => extreme(list, 'min', -1))
    .registerFunction('list.max(): dyn', (list: unknown[]) => extreme(list, 'max', 1))
    .registerFunction('list.indexOf(dyn): int', indexOf)
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], wanted: unknown) =>
      BigInt(list.lastIndexOf(wanted)),
    );
}

function registerTexts(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) =>
      text.charAt(Number(at)),
    )
    .registerFunction(
      'string.replace(string, string): string',
      (text: string, old: string, by: string) => text.replaceAll(old, () => by),
    )
    .registerFunction(
      'string.find(string): string',
      (text: string, source: string) => text.match(patternOf(source))?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, source: string) =>
      Array.from(text.matchAll(patternOf(source, 'g')), ([found]) => found),
    )
    .registerFunction('isURL(string): bool', isUrl)
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('isCIDR(string): bool', (text: string) => checkFormat('cidr', text))
    .registerFunction('isQuantity(string): bool', (text: string) => quantityPattern.test(text));
}

class Address {
  readonly text: string;

  constructor(text: string) {
    if (isIP(text) === 0) throw new Error(`IP Address "${text}" parse error`);
    this.text = text;
  }
}

class Link {
  readonly url: URL;

  constructor(text: string) {
    if (!isUrl(text)) throw new Error(`URL parse error during conversion from string: "${text}"`);
    this.url = new URL(text);
  }
}

function registerAddresses(environment: Environment): void {
  environment
    .registerType('net.IP', Address)
    .registerType('kubernetes.URL', Link)
    .registerFunction('ip(string): net.IP', (text: string) => new Address(text))
    .registerFunction('net.IP.family(): int', ({ text }: Address) => (isIPv4(text) ? 4n : 6n))
    .registerFunction('url(string): kubernetes.URL', (text: string) => new Link(text))
    .registerFunction('kubernetes.URL.getScheme(): string', ({ url }: Link) =>
      url.protocol.slice(0, -1),
    )
    .registerFunction('kubernetes.URL.getHost(): string', ({ url }: Link) => url.host)
    .registerFunction('kubernetes.URL.getHostname(): string', ({ url }: Link) => url.hostname)
    .registerFunction('kubernetes.URL.getPort(): string', ({ url }: Link) => url.port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ url }: Link) => url.pathname);
}

function build(oldSelf: 'dyn' | 'optional'): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  environment.registerVariable('self', 'dyn').registerVariable('oldSelf', oldSelf);
  registerLists(environment);
  registerTexts(environment);
  registerAddresses(environment);
  return environment;
}

/** For ordinary rules, and for those where oldSelf is an optional. */
export const environments = { plain: build('dyn'), optional: build('optional') } as const;
