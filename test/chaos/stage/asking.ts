// How people and agents on a day of chaos ask the server, around the proxies: what it refuses, or
// cannot answer, is not done. Used by user.ts and domains.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { fieldsAt } from '#test/sim/fields.ts';

export interface Asking {
  readonly transport: KubeTransport;
  /** Takes a line for each request, and what came of it. */
  readonly say: (line: string) => void;
}

/** Resolves with whether it was carried out, as far as the asker is told. A patch is a merge. */
export type Ask = (
  method: KubeRequest['method'],
  path: string,
  body?: JsonObject,
) => Promise<boolean>;

export const askingAs =
  (who: string, { transport, say }: Asking): Ask =>
  async (method, path, body) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const rest = body === undefined ? {} : { body };
    try {
      const { status } = await transport.request({ method, path, contentType, ...rest });
      say(`${who}: ${method} ${path} ${JSON.stringify(fieldsAt(body, 'spec'))} ${status}`);
      return status < 300;
    } catch (error) {
      say(`${who}: ${method} ${path}: ${String(error)}`);
      return false;
    }
  };
