// A KubeTransport that the test plays by hand: every request and watch is recorded, and answered
// when and how the test says.
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
  WatchEnd,
  WatchSink,
} from '#src/kube/transport/transport.ts';
import { handOver } from '#src/kube/watch/echo.ts';

export interface OpenRequest extends KubeRequest {
  readonly answer: (status: number, body?: unknown, headers?: Record<string, string>) => void;
  readonly fail: (error: Error) => void;
}

export interface OpenWatch {
  readonly path: string;
  readonly query: URLSearchParams;
  isOpen: boolean;
  /** True when the reflector closed it. */
  wasClosed: boolean;
  readonly send: (type: string, object: unknown) => void;
  readonly end: (reason?: WatchEnd) => void;
  readonly refuse: (status: number, body?: unknown, headers?: Record<string, string>) => void;
}

export class ScriptedTransport implements KubeTransport {
  readonly requests: OpenRequest[] = [];
  readonly watches: OpenWatch[] = [];

  request(request: KubeRequest): Promise<KubeResponse> {
    return new Promise((resolve, reject) => {
      this.requests.push({
        ...request,
        answer: (status, body = {}, headers = {}) => resolve({ status, headers, body }),
        fail: reject,
      });
    });
  }

  watch(path: string, sink: WatchSink): () => void {
    const end = (reason: WatchEnd): void => {
      if (!watch.isOpen) return;
      watch.isOpen = false;
      sink.closed(reason);
    };
    const watch: OpenWatch = {
      path,
      query: new URLSearchParams(path.split('?', 2)[1]),
      isOpen: true,
      wasClosed: false,
      send: (type, object) => {
        if (watch.isOpen) handOver(sink, { type, object });
      },
      end: (reason = { kind: 'ended' }) => end(reason),
      refuse: (status, body = {}, headers = {}) =>
        end({ kind: 'refused', response: { status, headers, body } }),
    };
    this.watches.push(watch);
    return () => {
      watch.wasClosed = true;
      end({ kind: 'aborted' });
    };
  }

  /** The newest request; fails the test where there is none. */
  get lastRequest(): OpenRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('no request was sent');
    return last;
  }

  get lastWatch(): OpenWatch {
    const last = this.watches.at(-1);
    if (last === undefined) throw new Error('no watch was opened');
    return last;
  }
}
