import type { ServerHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Shared } from './shared.ts';
export function handleHttp2(shared: Shared, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void { void shared; void headers; stream.close(); }
