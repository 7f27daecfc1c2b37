// A certificate authority of our own and the certificates that it issues: for servers on loopback
// (the embedded cluster, the tests' servers, the real control plane under test) and for the
// admission webhooks, which keep theirs in a Secret. On @peculiar/x509, which needs the reflect
// polyfill loaded first.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** PEM texts. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface Authority extends Issued {
  /** A server certificate for DNS names and IP addresses. Absent validity: the authority's. */
  server(
    names: readonly string[],
    addresses: readonly string[],
    validity?: Validity,
  ): Promise<Issued>;
  /** A client certificate as Kubernetes reads it: CN is the user, O are the groups. */
  client(user: string, groups: readonly string[]): Promise<Issued>;
}

/** From an hour before `now`, as clocks differ, for the days given. */
export const validFrom = (now: number, days: number): Validity => ({
  notBefore: new Date(now - 60 * 60 * 1000),
  notAfter: new Date(now + days * dayMs),
});

/** Certificates are valid as `validFrom` says. */
export async function createAuthority(
  commonName: string,
  now: number,
  days = 365,
  organisation?: string,
): Promise<Authority> {
  const validity = validFrom(now, days);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const ca = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity,
      serialNumber: serial(),
      name: [{ CN: [commonName] }, ...(organisation === undefined ? [] : [{ O: [organisation] }])],
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto,
  );
  const issued = { cert: pem(ca), key: await privatePem(keys.privateKey) };
  return authorityOf(issued, ca.subject, keys.privateKey, validity);
}

/** The authority that was kept as PEM texts. Rejects where they are no ECDSA P-256 authority. */
export async function restoreAuthority(kept: Issued): Promise<Authority> {
  const ca = new X509Certificate(kept.cert);
  const der = Buffer.from(kept.key.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  const { notBefore, notAfter } = ca;
  return authorityOf(kept, ca.subject, key, { notBefore, notAfter });
}

function authorityOf(
  issued: Issued,
  issuer: string,
  signingKey: webcrypto.CryptoKey,
  own: Validity,
): Authority {
  const issue = (request: Request, validity: Validity = own): Promise<Issued> =>
    issueLeaf({ issuer, signingKey, ...validity }, request);
  return {
    ...issued,
    server: (names, addresses, validity) =>
      issue(
        {
          subject: [{ CN: [names[0] ?? addresses[0] ?? 'server'] }],
          usage: ExtendedKeyUsage.serverAuth,
          extensions: [
            new SubjectAlternativeNameExtension([
              ...names.map((value) => ({ type: 'dns' as const, value })),
              ...addresses.map((value) => ({ type: 'ip' as const, value })),
            ]),
          ],
        },
        validity,
      ),
    client: (user, groups) =>
      issue({
        subject: [{ CN: [user] }, ...groups.map((group) => ({ O: [group] }))],
        usage: ExtendedKeyUsage.clientAuth,
        extensions: [],
      }),
  };
}

interface Request {
  readonly subject: { [type: string]: string[] }[];
  readonly usage: ExtendedKeyUsage;
  readonly extensions: readonly SubjectAlternativeNameExtension[];
}

interface Signer {
  readonly issuer: string;
  readonly signingKey: webcrypto.CryptoKey;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate for a key of its own, signed by the authority. */
async function issueLeaf(signer: Signer, request: Request): Promise<Issued> {
  const leaf = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await X509CertificateGenerator.create(
    {
      ...signer,
      serialNumber: serial(),
      subject: request.subject,
      signingAlgorithm: algorithm,
      publicKey: leaf.publicKey,
      extensions: [
        new BasicConstraintsExtension(false),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([request.usage]),
        ...request.extensions,
      ],
    },
    webcrypto,
  );
  return { cert: pem(cert), key: await privatePem(leaf.privateKey) };
}

/** 16 random bytes with the first bit clear: a positive number, as RFC 5280 asks. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return Buffer.from(bytes).toString('hex');
}

const pem = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
