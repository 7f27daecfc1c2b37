// The transport of a recorded process: that of the product, which tells the tape of each request
// when it is handed over, when it is sent and when it is answered, and of what each watch shows.
// preload.ts puts this module in the place of src/kube/transport/http.ts.
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import {
  type HttpOptions,
  type HttpTransport,
  httpTransport as real,
} from '#src/kube/transport/http.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
  WatchSink,
} from '#src/kube/transport/transport.ts';
import { placeOf } from '#test/sim/oracles/place.ts';
import { at, listAt, textAt } from '#test/sim/fields.ts';
import { type Reference, steadyNow } from './records.ts';
import { record } from './tape.ts';

export function httpTransport(connection: KubeConnection, options: HttpOptions): HttpTransport {
  const transport = real(connection, options);
  return {
    ...transport,
    request: (asked) => overheard(transport, asked),
    watch: (path, sink) => transport.watch(path, overhearing(path, sink)),
  };
}

let count = 0;

async function overheard(transport: KubeTransport, asked: KubeRequest): Promise<KubeResponse> {
  const id = ++count;
  const { method, path, body, isWanted } = asked;
  record({ is: 'asks', t: steadyNow(), id, method, path, ...(body === undefined ? {} : { body }) });
  const sends = (): boolean => {
    if (isWanted?.() === false) return false;
    record({ is: 'sends', t: steadyNow(), id });
    return true;
  };
  try {
    const answer = await transport.request({ ...asked, isWanted: sends });
    record({ is: 'hears', t: steadyNow(), id, status: answer.status, ...contentOf(asked, answer) });
    return answer;
  } catch (error) {
    record({ is: 'hears', t: steadyNow(), id });
    throw error;
  }
}

/** Of a list what it shows, of anything else all that it says. */
function contentOf({ method, path }: KubeRequest, { body }: KubeResponse): object {
  const isList = method === 'GET' && placeOf(path).name === '' && Array.isArray(at(body, 'items'));
  if (!isList) return { body };
  return {
    body: { kind: textAt(body, 'kind'), metadata: at(body, 'metadata') },
    items: listAt(body, 'items').map(referenceTo),
  };
}

const overhearing = (path: string, sink: WatchSink): WatchSink => ({
  ...sink,
  event: (event) => {
    const { type, object } = event;
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      record({ is: 'event', t: steadyNow(), path, type, object: referenceTo(object) });
    }
    sink.event(event);
  },
});

const referenceTo = (object: unknown): Reference => [
  textAt(object, 'metadata', 'namespace'),
  textAt(object, 'metadata', 'name'),
  textAt(object, 'metadata', 'uid'),
  textAt(object, 'metadata', 'resourceVersion'),
];
