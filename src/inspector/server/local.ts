// The way in of `npm start`: a token in the fragment of the link that it prints, which the page
// trades once for that of a session. Who has either may do everything, as the link is for whoever
// started the process; both end with it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export class LocalAccess {
  /** For the link. */
  readonly oneTimeToken = newToken();
  readonly #session = newToken();
  #isSpent = false;

  /** The token of the session; undefined: that was no token of ours, or it is spent. */
  trade(token: string): string | undefined {
    if (this.#isSpent || !isSame(token, this.oneTimeToken)) return undefined;
    this.#isSpent = true;
    return this.#session;
  }

  /** True for the token of the link, spent or not. */
  isOfLink(token: string): boolean {
    return isSame(token, this.oneTimeToken);
  }

  isSession(token: string): boolean {
    return this.#isSpent && isSame(token, this.#session);
  }
}

const newToken = (): string => randomBytes(32).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In a time that does not tell how much of it is right. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
