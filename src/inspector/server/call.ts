// One request for the API, as the handlers of routes.ts get it, and what they know of the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access, Viewer } from './access.ts';
import type { Others } from './others.ts';
import type { Reply } from './replies.ts';
import type { Process, Source } from './source.ts';

export interface Call {
  readonly viewer: Viewer;
  readonly query: URLSearchParams;
  /** With the query, as another process is asked for the same. */
  readonly path: string;
  /** What stands in the path for the names in braces of the route. */
  readonly named: readonly string[];
  /** Another process asks: the answer is about this one alone. */
  readonly isHandedOn: boolean;
  /** JSON, of a POST; empty else. */
  readonly body: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Inspected {
  readonly source: Source;
  readonly process: Process;
  readonly access: Access;
  readonly others: Others;
}

export type Handle = (call: Call) => Promise<Reply>;
