// The Secret with the certificates of a server of ours, as an object: reading what it holds, and
// the object that a step of the plan makes of it. Other keys and metadata are left as they are.
import { label, managedBy } from '#machines/grove/objects/labels.ts';
import { at, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { epoch, rfc3339 } from '#machines/kubernetes/time.ts';
import { type Certificate, isSignedBy, readBundle, readPair, writeBundle } from './bundle.ts';
import type { Kept, Step, CertificateOptions } from './plan.ts';
import type { CertificateUser } from './source.ts';

const trustedSince = 'coppice.dev/authority-since';
const servedSince = 'coppice.dev/certificate-since';

export interface Lifetimes {
  readonly authorityDays: number;
  readonly certificateDays: number;
}

/** An empty one, to be created (spec controllers 9.4). */
export const emptySecret = (
  namespace: string,
  name: string,
  usedBy: CertificateUser,
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    labels: {
      [label.managedBy]: managedBy,
      [label.component]: usedBy === 'webhooks' ? 'webhook' : 'questions',
      [label.partOf]: 'grove',
    },
  },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': '', 'tls.key': '', 'ca.crt': '' },
});

const dataOf = (secret: unknown, key: string): string =>
  Buffer.from(text(at(secret, 'data', key)), 'base64').toString('utf8');

const sinceOf = (secret: unknown, key: string): number =>
  epoch(at(secret, 'metadata', 'annotations', key)) ?? 0;

/** What is served by a process that read this. */
export const servingPair = (secret: unknown) => ({
  cert: dataOf(secret, 'tls.crt'),
  key: dataOf(secret, 'tls.key'),
});

/** Grove's authorities have keys of another kind: they stay trusted while ours takes over. */
const isOurs = ({ x509 }: Certificate): boolean =>
  x509.publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';

export function readSecret(secret: unknown): Kept {
  const authorities = readBundle(dataOf(secret, 'ca.crt'));
  const [newest] = authorities;
  const key = dataOf(secret, 'ca.key');
  return {
    authorities,
    signer:
      newest === undefined || !isOurs(newest) ? undefined : readPair({ cert: newest.pem, key }),
    serving: readPair(servingPair(secret)),
    trustedSince: sinceOf(secret, trustedSince),
    servedSince: sinceOf(secret, servedSince),
  };
}

/** The bundle that webhook configurations should trust. */
export const trustBundle = ({ authorities }: Kept): string => writeBundle(authorities);

/** The Secret after the step. */
export async function afterStep(
  secret: JsonObject,
  step: Exclude<Step, { readonly do: 'nothing' }>,
  options: CertificateOptions & Lifetimes,
  now: number,
): Promise<JsonObject> {
  const kept = readSecret(secret);
  // Loaded by whoever makes a certificate, every few weeks: it takes 40 MB.
  const { createAuthority, restoreAuthority, validFrom } = await import('#src/tls/authority.ts');
  if (step.do === 'addAuthority') {
    const { cert, key } = await createAuthority('Grove-CA', now, options.authorityDays, 'Grove');
    const living = kept.authorities.filter(({ until }) => now < until);
    return changed(
      secret,
      { 'ca.crt': cert + writeBundle(living), 'ca.key': key },
      { [trustedSince]: rfc3339(now) },
    );
  }
  if (step.do === 'forget') {
    const { serving } = kept;
    const used = kept.authorities.filter(
      (each) => serving !== undefined && isSignedBy(serving, each),
    );
    return changed(secret, { 'ca.crt': writeBundle(used) }, {});
  }
  const [newest] = kept.authorities;
  const signer = { cert: newest?.pem ?? '', key: dataOf(secret, 'ca.key') };
  const authority = await restoreAuthority(signer);
  // Not beyond the authority's own end: it would not be valid there anyway.
  const { notBefore, notAfter } = validFrom(now, options.certificateDays);
  const until = new Date(Math.min(notAfter.getTime(), newest?.until ?? 0));
  const validity = { notBefore, notAfter: until };
  const { cert, key } = await authority.server(options.names, options.addresses, validity);
  return changed(secret, { 'tls.crt': cert, 'tls.key': key }, { [servedSince]: rfc3339(now) });
}

function changed(
  secret: JsonObject,
  data: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): JsonObject {
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  const metadata = object(secret['metadata']);
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: { ...object(metadata['annotations']), ...annotations },
    },
    data: { ...object(secret['data']), ...encoded },
  };
}
