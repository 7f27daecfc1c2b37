// Requests to another process of ours, with the token of whoever asks. The token is sent to nobody
// who has not proven by a certificate of our own authority that it is one of our processes: an
// address is read from a Lease, which others may be able to write. Made by start.ts; questions are
// handed on by it, and lists of the inspector asked for.
import Client from 'undici/lib/dispatcher/client.js';

export interface PeerOptions {
  /** PEM of the authorities that are trusted now; blank: none is known yet. */
  readonly authorities: () => string;
  /** The name that certificates of our processes carry. */
  readonly servername: string;
}

export interface PeerCall {
  readonly address: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  /** JSON. */
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A longer answer is none. */
  readonly maxBytes: number;
}

export interface PeerResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Rejects where there is no answer, and where nobody can be trusted. */
export type PeerRequest = (call: PeerCall) => Promise<PeerResponse>;

/** Marks a request that was made elsewhere first: it is not handed on again. */
export const handedOnHeader = 'coppice-handed-on';

export const peerRequest =
  ({ authorities, servername }: PeerOptions): PeerRequest =>
  async ({ address, method, path, token, body, timeoutMs, signal, maxBytes }) => {
    const ca = authorities();
    // Else Node would trust every authority of the system.
    if (!ca.includes('BEGIN CERTIFICATE')) {
      throw new Error('the authority of its certificate is not known yet');
    }
    // A connection of its own: questions are few, and each is sent to whom is trusted at that
    // moment.
    const client = new Client(address, {
      allowH2: false,
      connect: { ca, servername, rejectUnauthorized: true, timeout: timeoutMs },
      maxResponseSize: maxBytes,
    });
    try {
      const response = await client.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          [handedOnHeader]: 'true',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        signal,
      });
      return { status: response.statusCode, body: await response.body.bytes() };
    } finally {
      void client.destroy().catch(() => {});
    }
  };
