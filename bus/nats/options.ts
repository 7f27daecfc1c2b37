// How to reach NATS and how the connection behaves: every option of the client library that matters
// is set here, none is left to its defaults. The configuration file of the controller decodes into
// this type; `natsOptions()` fills in what was not given.
import { readFileSync } from 'node:fs';
import type { Authenticator, NodeConnectionOptions } from '@nats-io/transport-node';
import {
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';

/** Who we are to the server. Files are read again at every connect, so they may be rotated. */
export type NatsAuth =
  | { readonly type: 'none' }
  /** The file holds the password. */
  | { readonly type: 'user'; readonly user: string; readonly file: string }
  | { readonly type: 'token'; readonly file: string }
  /** The seed of a user. */
  | { readonly type: 'nkey'; readonly file: string }
  /** A `.creds` file with JWT and nkey seed. */
  | { readonly type: 'creds'; readonly file: string };

/** TLS is then required; without files the system's authorities are trusted. PEM files. */
export interface NatsTls {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** For servers with `tls { handshake_first: true }`. Default false. */
  readonly handshakeFirst?: boolean;
}

/** The JetStream stream that keeps the facts; limits-based, the oldest go first. */
export interface HistoryOptions {
  /** `memory` by default: the history is a convenience, not the truth. */
  readonly storage: 'memory' | 'file';
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly maxMessages: number;
  /** Of one actor and kind of fact: who has much to tell does not push out what others told. */
  readonly maxMessagesPerSubject: number;
  readonly replicas: number;
  /** How often it is looked after whether the stream is still there. */
  readonly checkIntervalMs: number;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface NatsOptions {
  /** `host:port` or `nats://host:port`, of one cluster; each attempt begins with any of them. */
  readonly servers: readonly string[];
  /** Shown in the server's monitoring. */
  readonly name: string;
  readonly auth: NatsAuth;
  /** Of the subjects of replies. */
  readonly inboxPrefix: string;
  /** Null: plain TCP; a server that demands TLS is then not connected to. */
  readonly tls: NatsTls | null;
  /** Of one attempt, TLS and authentication included. */
  readonly connectTimeoutMs: number;
  /** Least pause after a loss, and after an attempt at every server; attempts never end. */
  readonly reconnectWaitMs: number;
  /** Added to it, uniformly from 0, so that a restart is not met by a stampede. */
  readonly reconnectJitterMs: number;
  readonly pingIntervalMs: number;
  /** Pings without an answer after which the connection is given up: by default a server that is
   *  silent without closing is noticed within (2 + 1) x 4.5 s, and 15 s are promised. */
  readonly maxPingOut: number;
  /** True: facts carry the header `traceparent`. */
  readonly traceparent: boolean;
  /** Null: no stream is kept. */
  readonly history: HistoryOptions | null;
}

const defaultHistory: HistoryOptions = {
  storage: 'memory',
  maxBytes: 128 * 1024 * 1024,
  maxAgeMs: 24 * 60 * 60 * 1000,
  maxMessages: 1_000_000,
  maxMessagesPerSubject: 256,
  replicas: 1,
  checkIntervalMs: 60_000,
};

const defaultNatsOptions: NatsOptions = {
  servers: ['127.0.0.1:4222'],
  name: 'coppice',
  auth: { type: 'none' },
  inboxPrefix: '_INBOX',
  tls: null,
  connectTimeoutMs: 3_000,
  reconnectWaitMs: 1_000,
  reconnectJitterMs: 1_000,
  pingIntervalMs: 4_500,
  maxPingOut: 2,
  traceparent: false,
  history: defaultHistory,
};

/** What was given over the defaults; the history field by field. */
export function natsOptions(
  given: Partial<Omit<NatsOptions, 'history'>> & { history?: Partial<HistoryOptions> | null } = {},
): NatsOptions {
  const { history, ...rest } = given;
  const merged = history === null ? null : { ...defaultHistory, ...history };
  return { ...defaultNatsOptions, ...rest, history: merged };
}

/** The same for one connection of the client library. Its reconnect is off: see link.ts. */
export function clientOptions(options: NatsOptions, address: Address): NodeConnectionOptions {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    servers: [`${host}:${address.port}`],
    name: options.name,
    ...credentials(options.auth),
    tls: options.tls === null ? null : { ...options.tls },
    timeout: options.connectTimeoutMs,
    reconnect: false,
    waitOnFirstConnect: false,
    maxReconnectAttempts: 0,
    ignoreAuthErrorAbort: false,
    ignoreClusterUpdates: true,
    pingInterval: options.pingIntervalMs,
    maxPingOut: options.maxPingOut,
    noRandomize: true,
    noEcho: false, // our own questions and, with `bus.delivery: nats`, messages come back to us
    noAsyncTraces: true, // a stack trace per request is dear
    pedantic: false,
    verbose: false,
    debug: false,
    resolve: true,
    inboxPrefix: options.inboxPrefix,
  };
}

/** A file that is away for a moment fails that attempt to connect, not the process. */
function credentials(auth: NatsAuth): { authenticator?: Authenticator } {
  if (auth.type === 'none') return {};
  const text = (): string => readFileSync(auth.file, 'utf8').trim();
  return { authenticator: (nonce?: string) => authenticator(auth, text())(nonce) };
}

function authenticator(auth: Exclude<NatsAuth, { type: 'none' }>, text: string): Authenticator {
  switch (auth.type) {
    case 'user':
      return usernamePasswordAuthenticator(auth.user, text);
    case 'token':
      return tokenAuthenticator(text);
    case 'nkey':
      return nkeyAuthenticator(new TextEncoder().encode(text));
    case 'creds':
      // Its last line must end; one that does not is no reason to refuse the file.
      return credsAuthenticator(new TextEncoder().encode(`${text}\n`));
  }
}
