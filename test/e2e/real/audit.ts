// The requests of controllers as kube-apiserver's audit log has them: what tests and benchmarks may
// claim about writes. Each line is one finished request; the last may be half written.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

interface AuditLine {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

export interface AuditedRequest {
  /** Name of the client's program, as its user agent begins. */
  readonly agent: string;
  /** When it came to the server, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly verb: string;
  /** Empty: core. */
  readonly group: string;
  /** `pods`, `podcliques/status` */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** Why not, in the server's words; empty for what succeeded. */
  readonly message: string;
}

const reading = new Set(['get', 'list', 'watch']);

/** Events count for themselves: they tell of what was written. */
const isWrite = ({ verb, resource }: AuditedRequest): boolean =>
  !reading.has(verb) && resource !== 'events';

/** Reads what was added since the last look, so that a long log is read once. */
export class AuditLog {
  readonly #file: string;
  readonly #mark: string;
  readonly #requests: AuditedRequest[] = [];
  #offset = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** `mark`: what a line must hold; by default, that the request is a controller's. */
  constructor(file: string, mark = '"coppice-controller/') {
    this.#file = file;
    this.#mark = mark;
  }

  /** All of them so far, in the order in which they ended. */
  all(): readonly AuditedRequest[] {
    this.#readOn();
    return this.#requests;
  }

  /** Those in one namespace. */
  requests(namespace: string): readonly AuditedRequest[] {
    return this.all().filter((request) => request.namespace === namespace);
  }

  /** Everything that changes or tries to change an object, Events left out. */
  writes(namespace: string): readonly AuditedRequest[] {
    return this.requests(namespace).filter(isWrite);
  }

  #readOn(): void {
    if (!existsSync(this.#file)) return;
    const text = this.#fresh();
    const end = text.lastIndexOf(10) + 1;
    this.#rest = text.subarray(end);
    for (const line of text.subarray(0, end).toString().split('\n')) {
      if (line !== '' && line.includes(this.#mark)) this.#requests.push(parse(line));
    }
  }

  #fresh(): Buffer {
    const file = openSync(this.#file, 'r');
    try {
      const { size } = fstatSync(file);
      if (size < this.#offset) throw new Error(`${this.#file} was rotated: its requests are lost`);
      const fresh = Buffer.alloc(size - this.#offset);
      const length = readSync(file, fresh, 0, fresh.length, this.#offset);
      this.#offset += length;
      return Buffer.concat([this.#rest, fresh.subarray(0, length)]);
    } finally {
      closeSync(file);
    }
  }
}

function parse(line: string): AuditedRequest {
  const { verb, userAgent, requestReceivedTimestamp, objectRef, responseStatus } = JSON.parse(
    line,
  ) as AuditLine;
  return {
    agent: userAgent?.split('/')[0] ?? '',
    atMs: Date.parse(requestReceivedTimestamp),
    verb,
    group: objectRef?.apiGroup ?? '',
    resource: [objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/'),
    namespace: objectRef?.namespace ?? '',
    name: objectRef?.name ?? '',
    code: responseStatus?.code ?? 0,
    message: responseStatus?.message ?? '',
  };
}

/** What the controller asked for without being allowed to. A namespace or a CRD that goes takes
 *  nothing new, whoever asks, and so does a full quota. */
export const forbidden = (requests: readonly AuditedRequest[]): readonly AuditedRequest[] =>
  requests.filter(({ code, message }) => code === 403 && !goes.test(message));

const goes =
  /because it is being terminated|custom resource definition is terminating|exceeded quota: /;

/** The question whether a token Secret still stands is its create: a 409 that changes nothing. */
export const withoutSecrets = (requests: readonly AuditedRequest[]): readonly AuditedRequest[] =>
  requests.filter(({ resource }) => resource !== 'secrets');

/** How often each kind of request was made: `create pods 201` to 10. */
export function tally(requests: readonly AuditedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb, resource, code } of requests) {
    const key = `${verb} ${resource} ${code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
