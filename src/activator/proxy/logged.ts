// What the request log knows of a request. Told by exchange.ts, written by request-log.ts.

export interface LoggedAnswer {
  /** 0: the client was gone before. */
  readonly code: number;
  readonly size: number;
  readonly latencyMs: number;
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly configuration: string;
  /** With its port; empty: it got none. */
  readonly podIp: string;
  /** Empty: it got none, or nobody knows its name. */
  readonly podName: string;
}

/** What the request log says of a request. */
export interface LoggedRequest extends LoggedAnswer {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly protocol: string;
  readonly remoteAddress: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Of its line and its answer; what is asked for says the rest. */
export function loggedOf(
  line: Omit<LoggedRequest, keyof LoggedAnswer>,
  answer: Pick<LoggedAnswer, 'code' | 'size' | 'latencyMs' | 'podIp' | 'podName'>,
  {
    target: { namespace, name },
    rules: { service, configuration },
  }: {
    readonly target: Pick<LoggedAnswer, 'namespace' | 'name'>;
    readonly rules: Pick<LoggedAnswer, 'service' | 'configuration'>;
  },
): LoggedRequest {
  return { ...line, ...answer, namespace, name, service, configuration };
}
