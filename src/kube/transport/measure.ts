// Tells of every request how it went, for `rest_client_requests_total` and the bench's counts.
// client.ts wraps its transport in it, inside the limits: waiting in line is not the server's time.
import type { Clock } from '#actors/ports.ts';
import { requestInfo, type RequestInfo } from '../paths.ts';
import type { KubeRequest, KubeTransport, WatchEnd, WatchSink } from './transport.ts';

/** One request that has ended, or a watch that was opened or refused. */
export interface RequestReport extends RequestInfo {
  readonly method: KubeRequest['method'];
  /** HTTP status; `<error>` where there was no answer, as client-go has it. */
  readonly code: string;
  readonly host: string;
  readonly seconds: number;
}

export type OnRequest = (report: RequestReport) => void;

const noAnswer = '<error>';

export function measured(
  transport: KubeTransport,
  clock: Clock,
  host: string,
  onRequest: OnRequest,
): KubeTransport {
  const start = (method: KubeRequest['method'], path: string): ((code: string) => void) => {
    const began = clock.now();
    const info = requestInfo(method, path);
    return (code) =>
      onRequest({ ...info, method, code, host, seconds: (clock.now() - began) / 1000 });
  };
  return {
    request: async (request) => {
      const end = start(request.method, request.path);
      try {
        const response = await transport.request(request);
        end(String(response.status));
        return response;
      } catch (error) {
        end(noAnswer);
        throw error;
      }
    },
    watch: (path, sink) => transport.watch(path, measuredSink(sink, start('GET', path))),
  };
}

/** A watch counts once: at its first event, or at its end when there was none. */
function measuredSink(sink: WatchSink, end: (code: string) => void): WatchSink {
  let isReported = false;
  const tell = (code: string): void => {
    if (!isReported) end(code);
    isReported = true;
  };
  return {
    isEcho: (version) => {
      tell('200');
      return sink.isEcho?.(version) === true;
    },
    event: (event) => {
      tell('200');
      sink.event(event);
    },
    closed: (reason) => {
      tell(codeOfEnd(reason));
      sink.closed(reason);
    },
  };
}

function codeOfEnd(reason: WatchEnd): string {
  if (reason.kind === 'refused') return String(reason.response.status);
  return reason.kind === 'ended' && reason.error !== undefined ? noAnswer : '200';
}
