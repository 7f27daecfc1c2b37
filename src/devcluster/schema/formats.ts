// The string and number formats that Kubernetes checks in schemas; an unknown format is no rule.
import { isIP, isIPv4, isIPv6 } from 'node:net';

type FormatCheck = (value: unknown) => boolean;

const onText =
  (holds: (text: string) => boolean): FormatCheck =>
  (value) =>
    typeof value !== 'string' || holds(value);

const matching = (expression: RegExp): FormatCheck => onText((text) => expression.test(text));

const between =
  (low: number, high: number): FormatCheck =>
  (value) =>
    typeof value !== 'number' || (value >= low && value <= high);

const isCidr = (text: string): boolean => {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
};

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Go's durations, as `time.ParseDuration` reads them. */
const duration = /^[-+]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
/** strfmt's longer units, which the `duration` format takes too. */
const spokenDuration = /^\d+\s*(weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[wdhms])$/;

const checks: Readonly<Record<string, FormatCheck>> = {
  int32: between(-(2 ** 31), 2 ** 31 - 1),
  int64: between(-(2 ** 63), 2 ** 63),
  'date-time': onText((text) => isDate(dateTime.exec(text)?.[1] ?? '')),
  date: onText(isDate),
  duration: onText((text) => duration.test(text) || spokenDuration.test(text)),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  ipv4: onText(isIPv4),
  ipv6: onText(isIPv6),
  cidr: onText(isCidr),
  uri: onText((text) => URL.canParse(text) || text.startsWith('/')),
  email: matching(/^[^@\s]+@[^@\s]+$/),
  hostname: matching(
    /^(?=.{1,255}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/,
  ),
  mac: matching(/^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2})$/),
  uuid: matching(/^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$/),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  'k8s-short-name': matching(/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
  'k8s-long-name': matching(
    /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  ),
};

/** True where the value has the format, or the format is none that is checked. */
export const checkFormat = (name: string, value: unknown): boolean => checks[name]?.(value) ?? true;
