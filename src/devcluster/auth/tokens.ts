// Service-account tokens: signed JSON web tokens with the claims that Kubernetes puts into them.
// The token filler and TokenRequest issue them, the authenticator and TokenReview check them.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { listAt, numberAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const issuer = 'https://kubernetes.default.svc.cluster.local';

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  /** UID of the ServiceAccount: a token dies with its account. */
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Epoch milliseconds; undefined: never, as the tokens in Secrets. */
  readonly expires?: number;
  /** The Secret that holds the token. */
  readonly secret?: string;
}

/** Signs and checks tokens with one key, for one cluster. */
export class TokenIssuer {
  /** The audience of tokens for the API server itself. */
  readonly audience = issuer;
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** The same subject gives the same token. */
  issue({ namespace, name, uid, audiences, expires, secret }: TokenSubject): string {
    const claims: JsonObject = {
      iss: issuer,
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: [...audiences],
      ...(expires === undefined ? {} : { exp: Math.floor(expires / 1000) }),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(secret === undefined ? {} : { secret: { name: secret } }),
      },
    };
    const head = encode({ alg: 'HS256', typ: 'JWT' });
    const signed = `${head}.${encode(claims)}`;
    return `${signed}.${this.#sign(signed)}`;
  }

  /** Who the token stands for; undefined when it is not ours, changed or out of date. */
  verify(token: string, now: number): TokenSubject | undefined {
    const [head = '', body = '', signature = ''] = token.split('.');
    if (!sameText(signature, this.#sign(`${head}.${body}`))) return undefined;
    const claims = decode(body);
    const own = objectAt(claims, 'kubernetes.io');
    const account = objectAt(own, 'serviceaccount');
    const seconds = numberAt(claims, 'exp');
    if (account === undefined || (seconds !== undefined && seconds * 1000 <= now)) return undefined;
    const secret = textAt(objectAt(own, 'secret'), 'name');
    return {
      namespace: textAt(own, 'namespace'),
      name: textAt(account, 'name'),
      uid: textAt(account, 'uid'),
      audiences: listAt(claims, 'aud').filter((each) => typeof each === 'string'),
      ...(seconds === undefined ? {} : { expires: seconds * 1000 }),
      ...(secret === '' ? {} : { secret }),
    };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

const encode = (value: JsonObject): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
