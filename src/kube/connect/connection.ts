// Where an API server is and how to prove who we are, as types: config.ts makes one out of a
// kubeconfig, the embedded cluster out of its own certificates, and http.ts connects with it.

export interface KubeConnection {
  /** URL with scheme, host, port and, behind some gateways, a path that precedes every request. */
  readonly server: string;
  readonly tls: ServerTrust;
  /** Namespace of the context; `default` where it names none. */
  readonly namespace: string;
  readonly credentials: CredentialSource;
}

/** How the server's certificate is checked. */
export interface ServerTrust {
  /** PEM. Absent: the roots that Node trusts. */
  readonly ca?: string;
  /** Name expected in the certificate where it is not the URL's host. */
  readonly servername?: string;
  /** True: the certificate is not checked at all. */
  readonly insecure: boolean;
}

export interface Credentials {
  /** Sent with every request, e.g. `authorization`. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Client certificate and key, PEM; both or none. */
  readonly cert?: string;
  readonly key?: string;
}

/** Credentials change while the process runs: tokens rotate, certificates are renewed. */
export interface CredentialSource {
  /** Cheap enough to call before every request: no promise where they are known. Rejects with a
   *  reason that a person can act on. */
  current(): Credentials | Promise<Credentials>;
  /** The server answered 401 to these: where they are still the current ones, the next `current`
   *  reads afresh. */
  refused(credentials: Credentials): void;
}

/** For a server that asks for nothing, or for credentials that never change. */
export const fixedCredentials = (credentials: Credentials = { headers: {} }): CredentialSource => ({
  current: () => credentials,
  refused: () => {},
});
