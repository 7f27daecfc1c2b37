// A certificate authority of our own and the certificates that it issues, for servers on loopback:
// the embedded cluster, the tests' servers and the real control plane under test. On
// @peculiar/x509, which needs the reflect polyfill loaded first.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** PEM texts. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Issued {
  /** A server certificate for DNS names and IP addresses. */
  server(names: readonly string[], addresses: readonly string[]): Promise<Issued>;
  /** A client certificate as Kubernetes reads it: CN is the user, O are the groups. */
  client(user: string, groups: readonly string[]): Promise<Issued>;
}

/** Certificates are valid from an hour before `now` (clocks differ) for the days given. */
export async function createAuthority(
  commonName: string,
  now: number,
  days = 365,
): Promise<Authority> {
  const validity = {
    notBefore: new Date(now - 60 * 60 * 1000),
    notAfter: new Date(now + days * dayMs),
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const ca = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity,
      serialNumber: serial(),
      name: [{ CN: [commonName] }],
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto,
  );
  const issue = (request: Request): Promise<Issued> =>
    issueLeaf({ issuer: ca.subject, signingKey: keys.privateKey, ...validity }, request);
  return {
    cert: pem(ca),
    key: await privatePem(keys.privateKey),
    server: (names, addresses) =>
      issue({
        subject: [{ CN: [names[0] ?? addresses[0] ?? 'server'] }],
        usage: ExtendedKeyUsage.serverAuth,
        extensions: [
          new SubjectAlternativeNameExtension([
            ...names.map((value) => ({ type: 'dns' as const, value })),
            ...addresses.map((value) => ({ type: 'ip' as const, value })),
          ]),
        ],
      }),
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
