// Reading certificates: PEM bundles, how long they are good for, who signed them. Total: what
// cannot be read is undefined. For the plan of rotation and for certificates from files.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Issued } from '#src/tls/authority.ts';

export interface Certificate {
  readonly pem: string;
  readonly x509: X509Certificate;
  readonly from: number;
  readonly until: number;
}

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a bundle that can be read, in order. */
export const readBundle = (bundle: string): readonly Certificate[] =>
  [...bundle.matchAll(block)].flatMap(([pem]) => read(pem) ?? []);

export const writeBundle = (certificates: readonly Certificate[]): string =>
  certificates.map(({ pem }) => `${pem}\n`).join('');

function read(pem: string): Certificate | undefined {
  try {
    const x509 = new X509Certificate(pem);
    return { pem, x509, from: x509.validFromDate.getTime(), until: x509.validToDate.getTime() };
  } catch {
    return undefined;
  }
}

/** The certificate of a pair, where the key belongs to it. */
export function readPair({ cert, key }: Issued): Certificate | undefined {
  const [certificate] = readBundle(cert);
  if (certificate === undefined) return undefined;
  try {
    return certificate.x509.checkPrivateKey(createPrivateKey(key)) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

export const isValidAt = ({ from, until }: Certificate, now: number): boolean =>
  from <= now && now < until;

/** Two thirds of its life are over. */
export const isAging = ({ from, until }: Certificate, now: number): boolean =>
  now >= from + ((until - from) * 2) / 3;

export const isSignedBy = (certificate: Certificate, authority: Certificate): boolean =>
  certificate.x509.checkIssued(authority.x509) && certificate.x509.verify(authority.x509.publicKey);

/** It is for all of these names and addresses. */
export const isFor = (
  { x509 }: Certificate,
  {
    names,
    addresses,
  }: { readonly names: readonly string[]; readonly addresses: readonly string[] },
): boolean =>
  names.every((name) => x509.checkHost(name) !== undefined) &&
  addresses.every((address) => x509.checkIP(address) !== undefined);
