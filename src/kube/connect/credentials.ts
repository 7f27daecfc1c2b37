// Credentials that change while the process runs: tokens and client certificates in files, plugins
// that mint them. config.ts picks the sources a kubeconfig user needs; http.ts asks before every
// request and reports what the server refused.
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '#actors/ports.ts';
import { credentialCheckMs, tokenFileRereadMs } from '../limits.ts';
import type { Credentials, CredentialSource } from './connection.ts';

/** Reads credentials anew. `afresh`: what was read last was refused, no cache may answer. */
export type ReadCredentials = (afresh: boolean) => Promise<Credentials>;

/**
 * Remembers what was read for a second, so that asking costs nothing; reads once for all who ask
 * at the same time. A refusal counts only against the credentials that were refused: a hundred
 * requests that fail together lead to one reading.
 */
export function cachedCredentials(clock: Clock, read: ReadCredentials): CredentialSource {
  let last: { readonly credentials: Credentials; readonly readAt: number } | undefined;
  let wasRefused = false;
  let reading: Promise<Credentials> | undefined;
  const readNow = async (): Promise<Credentials> => {
    try {
      const fresh = await read(wasRefused);
      // The same object while nothing changed, so that a refusal can be told from an old one.
      const credentials =
        last !== undefined && same(last.credentials, fresh) ? last.credentials : fresh;
      last = { credentials, readAt: clock.now() };
      wasRefused = false;
      return credentials;
    } finally {
      reading = undefined;
    }
  };
  return {
    current: () => {
      if (last !== undefined && !wasRefused && isFresh(last.readAt, clock.now())) {
        return last.credentials;
      }
      return (reading ??= readNow());
    },
    refused: (credentials) => {
      if (last === undefined || same(last.credentials, credentials)) wasRefused = true;
    },
  };
}

const isFresh = (readAt: number, now: number): boolean =>
  now >= readAt && now - readAt < credentialCheckMs;

/** True where a server would not tell them apart. */
export const same = (a: Credentials, b: Credentials): boolean =>
  a.cert === b.cert && a.key === b.key && JSON.stringify(a.headers) === JSON.stringify(b.headers);

/**
 * The content of a file that somebody else rewrites: read again when its modification time changes,
 * at the latest after a minute, and at once after a refusal. While it cannot be read (it is being
 * replaced) the last content goes on.
 */
export function watchedFile(clock: Clock, file: string): (afresh: boolean) => Promise<string> {
  let last:
    | { readonly text: string; readonly modified: number; readonly readAt: number }
    | undefined;
  return async (afresh) => {
    try {
      const modified = (await stat(file)).mtimeMs;
      const isCurrent =
        last !== undefined &&
        last.modified === modified &&
        clock.now() - last.readAt < tokenFileRereadMs;
      if (last !== undefined && isCurrent && !afresh) return last.text;
      const text = (await readFile(file, 'utf8')).trim();
      if (text === '') throw new Error(`${file} is empty`);
      last = { text, modified, readAt: clock.now() };
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last.text;
  };
}
