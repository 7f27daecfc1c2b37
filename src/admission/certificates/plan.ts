// What has to be done about the certificates now (spec controllers 9.4): an ordered list of
// decisions over what the Secret holds. Pure; the keeper carries one out at a time and looks again.
// The order of a rotation keeps every admission possible: the new authority is trusted first, then
// it signs what is served, then the old one is forgotten.
import { type Certificate, isAging, isFor, isSignedBy, isValidAt } from './bundle.ts';

/** What the Secret holds. */
export interface Kept {
  /** Of `ca.crt`, the newest first. */
  readonly authorities: readonly Certificate[];
  /** The newest authority with its key, where they belong together. */
  readonly signer: Certificate | undefined;
  /** What is served, where certificate and key belong together. */
  readonly serving: Certificate | undefined;
  /** When the newest authority and the served certificate came to be what they are. */
  readonly trustedSince: number;
  readonly servedSince: number;
}

export interface CertificateOptions {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  /** How long everybody may take to notice a change of the Secret or of a configuration. */
  readonly overlapMs: number;
}

export type Step =
  | { readonly do: 'nothing' }
  /** A new authority, trusted beside the others. */
  | { readonly do: 'addAuthority'; readonly why: string }
  /** A new certificate to serve, from the newest authority. */
  | { readonly do: 'issue'; readonly why: string }
  /** The authorities that sign nothing any more are trusted no longer. */
  | { readonly do: 'forget'; readonly why: string };

/** `isTrusted`: all webhook configurations trust the newest authority already. */
export function planCertificates(
  { signer, serving, authorities, trustedSince, servedSince }: Kept,
  options: CertificateOptions,
  now: number,
  isTrusted: boolean,
): Step {
  if (signer === undefined) return addAuthority('there is no authority with its key');
  if (!isValidAt(signer, now)) return addAuthority('the authority is not valid now');
  // Nobody could be served with what there is, so nothing is lost by hurrying.
  if (serving === undefined) return issue('there is no certificate with its key');
  if (!isValidAt(serving, now)) return issue('the certificate is not valid now');
  if (!isFor(serving, options)) return issue('the certificate is for other names');
  if (!authorities.some((each) => isSignedBy(serving, each))) {
    return issue('the certificate is signed by nobody who is trusted');
  }
  // The newest authority may sign when it was trusted for long enough by everybody.
  const maySign = isTrusted && now >= trustedSince + options.overlapMs;
  // Before a new authority is made, which may not sign at once: the next look may be late, and
  // would find a certificate that has expired. The end of the authority is as far as renewing
  // reaches.
  if (isAging(serving, now) && serving.until < signer.until && maySign) {
    return issue('two thirds of the life of the certificate are over');
  }
  if (isAging(signer, now)) {
    return addAuthority('two thirds of the life of the authority are over');
  }
  if (!isSignedBy(serving, signer)) {
    return maySign ? issue('there is a newer authority, which everybody trusts') : nothing;
  }
  // Other replicas may still serve a certificate of an old authority for a while.
  const isOver = now >= servedSince + options.overlapMs;
  if (authorities.length < 2 || !isOver) return nothing;
  return { do: 'forget', why: 'nobody serves a certificate of the old authority any more' };
}

const nothing: Step = { do: 'nothing' };
const addAuthority = (why: string): Step => ({ do: 'addAuthority', why });
const issue = (why: string): Step => ({ do: 'issue', why });
