// What the `OTEL_EXPORTER_OTLP_*` variables say of a collector that speaks gRPC: as the exporters
// over HTTP read them, those of traces before those of all signals.
import { readFileSync } from 'node:fs';
import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import type { Environment } from '../environment.ts';

export interface GrpcSettings {
  /** `http://collector:4317`, or `https`. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of an export with all its attempts. */
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** In PEM; absent: what Node trusts, and no certificate of ours. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

const usualOrigin = 'http://localhost:4317';
const usualTimeoutMs = 10_000;

/** Throws where a file cannot be read or the address is none. */
export function grpcSettings(environment: Environment): GrpcSettings {
  const given = (name: string): string =>
    [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]
      .map((variable) => environment[variable]?.trim() ?? '')
      .find((word) => word !== '') ?? '';
  const file = (name: string): Buffer | undefined =>
    given(name) === '' ? undefined : readFileSync(given(name));
  const [ca, cert, key] = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'].map(file);
  const timeoutMs = Number(given('TIMEOUT'));
  return {
    origin: originOf(given('ENDPOINT'), given('INSECURE').toLowerCase() === 'true'),
    headers: parseKeyPairsIntoRecord(given('HEADERS')),
    timeoutMs: timeoutMs > 0 ? timeoutMs : usualTimeoutMs,
    isCompressed: given('COMPRESSION') === 'gzip',
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  };
}

/** An address without a scheme is one of TLS, unless that is switched off. */
function originOf(endpoint: string, isInsecure: boolean): string {
  if (endpoint === '') return usualOrigin;
  const hasScheme = /^[a-z]+:\/\//i.test(endpoint);
  const url = hasScheme ? endpoint : `${isInsecure ? 'http' : 'https'}://${endpoint}`;
  const { origin, protocol } = URL.canParse(url) ? new URL(url) : { origin: '', protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return origin;
  throw new Error(`"${endpoint}" is no address of a collector, such as ${usualOrigin}`);
}
