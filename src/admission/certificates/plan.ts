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
  kept: Kept,
  options: CertificateOptions,
  now: number,
  isTrusted: boolean,
): Step {
  for (const step of [authority, unusable, aged, agingAuthority, superseded, leftovers]) {
    const wanted = step({ kept, options, now, isTrusted });
    if (wanted !== undefined) return wanted;
  }
  return { do: 'nothing' };
}

interface Situation {
  readonly kept: Kept;
  readonly options: CertificateOptions;
  readonly now: number;
  readonly isTrusted: boolean;
}

type Opinion = (situation: Situation) => Step | undefined;

const authority: Opinion = ({ kept: { signer }, now }) => {
  const why =
    signer === undefined
      ? 'there is no authority with its key'
      : !isValidAt(signer, now)
        ? 'the authority is not valid now'
        : undefined;
  return why === undefined ? undefined : { do: 'addAuthority', why };
};

/** Nobody could be served with what there is, so nothing is lost by hurrying. */
const unusable: Opinion = ({ kept: { serving, authorities }, options, now }) => {
  const why =
    serving === undefined
      ? 'there is no certificate with its key'
      : !isValidAt(serving, now)
        ? 'the certificate is not valid now'
        : !isFor(serving, options)
          ? 'the certificate is for other names'
          : !authorities.some((each) => isSignedBy(serving, each))
            ? 'the certificate is signed by nobody who is trusted'
            : undefined;
  return why === undefined ? undefined : { do: 'issue', why };
};

/** The newest authority may sign when it was trusted for long enough by everybody. */
const maySign = ({ kept, options, now, isTrusted }: Situation): boolean =>
  isTrusted && now >= kept.trustedSince + options.overlapMs;

/**
 * Before a new authority is made, which may not sign at once: the next look may be late, and would
 * find a certificate that has expired. The end of the authority is as far as renewing reaches.
 */
const aged: Opinion = (situation) => {
  const { serving, signer } = situation.kept;
  if (serving === undefined || signer === undefined) return undefined;
  return isAging(serving, situation.now) && serving.until < signer.until && maySign(situation)
    ? { do: 'issue', why: 'two thirds of the life of the certificate are over' }
    : undefined;
};

const agingAuthority: Opinion = ({ kept: { signer }, now }) =>
  signer !== undefined && isAging(signer, now)
    ? { do: 'addAuthority', why: 'two thirds of the life of the authority are over' }
    : undefined;

const superseded: Opinion = (situation) => {
  const { serving, signer } = situation.kept;
  if (serving === undefined || signer === undefined || isSignedBy(serving, signer)) {
    return undefined;
  }
  return maySign(situation)
    ? { do: 'issue', why: 'there is a newer authority, which everybody trusts' }
    : undefined;
};

/** Other replicas may still serve a certificate of an old authority for a while. */
const leftovers: Opinion = ({ kept, options, now }) => {
  const { authorities, serving, signer, servedSince } = kept;
  if (serving === undefined || signer === undefined || authorities.length < 2) return undefined;
  if (!isSignedBy(serving, signer) || now < servedSince + options.overlapMs) return undefined;
  return { do: 'forget', why: 'nobody serves a certificate of the old authority any more' };
};
