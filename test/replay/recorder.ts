// Sits between a client and a real server and writes down what passes, as raw material that
// order.ts puts into one order. Only main.ts uses it.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { HttpTransport } from '#src/kube/transport/http.ts';
import type { Actor, Exchange, Foreign } from './log.ts';

/** One thing that passed, with what was known of the server's version then. */
export interface Passed {
  readonly what: Exchange | Foreign;
  /** The highest version that anything had shown before. */
  readonly after: number;
}

export class Recorder {
  readonly passed: Passed[] = [];
  #latest = 0;

  /** The transport, with everything written down that goes through it. */
  around(transport: HttpTransport, by: Actor): HttpTransport {
    return {
      host: transport.host,
      close: () => transport.close(),
      request: async (request) => {
        const response = await transport.request(request);
        const { method, path, contentType, body } = request;
        const what: Exchange = {
          type: 'request',
          by,
          method,
          path,
          ...(contentType === undefined ? {} : { contentType }),
          ...(body === undefined ? {} : { body }),
          status: response.status,
          answer: response.body,
        };
        this.#pass(what, response.body);
        return response;
      },
      watch: (path, sink) =>
        transport.watch(path, {
          event: (event) => {
            const { type, object } = event;
            const isChange = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
            if (isChange && isObject(object)) this.#pass({ type, object }, object);
            sink.event(event);
          },
          closed: (reason) => sink.closed(reason),
        }),
    };
  }

  #pass(what: Exchange | Foreign, body: unknown): void {
    this.passed.push({ what, after: this.#latest });
    this.#latest = Math.max(this.#latest, versionOf(body));
  }
}

/** Of an object or a list; 0: it shows none. */
export function versionOf(body: unknown): number {
  return isObject(body) ? Number(textAt(objectAt(body, 'metadata'), 'resourceVersion')) : 0;
}

/** Takes the secrets out: nobody compares them. */
export function withoutSecrets(object: JsonObject): JsonObject {
  if (object['kind'] === 'List' || Array.isArray(object['items'])) {
    return { ...object, items: objectsAt(object, 'items').map(withoutSecrets) };
  }
  const data = objectAt(object, 'data');
  if (data?.['token'] === undefined) return object;
  const none = Buffer.from('masked').toString('base64');
  return { ...object, data: { ...data, token: none, 'ca.crt': none } };
}
