// An admission webhook over real HTTPS on loopback for the checks: it answers with what the check's
// function says and remembers what it was asked.
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';

export interface WebhookServer {
  readonly clientConfig: JsonObject;
  readonly requests: readonly JsonObject[];
  readonly close: () => Promise<void>;
}

/** `respond` gives the response without its UID; undefined: no answer at all. */
export async function webhookServer(
  respond: (request: JsonObject) => JsonObject | undefined,
): Promise<WebhookServer> {
  const authority = await createAuthority('conformance-webhook', systemClock.now());
  const identity = await authority.server(['localhost'], ['127.0.0.1']);
  const requests: JsonObject[] = [];
  const server = createServer({ cert: identity.cert, key: identity.key }, (incoming, outgoing) => {
    void read(incoming).then((review) => {
      const request = objectAt(review, 'request') ?? {};
      requests.push(request);
      const response = respond(request);
      if (response === undefined) return;
      const { apiVersion = '', kind = '' } = review;
      const uid = textAt(request, 'uid');
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify({ apiVersion, kind, response: { uid, ...response } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/review`,
      caBundle: Buffer.from(authority.cert).toString('base64'),
    },
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  const parsed: unknown = JSON.parse(text);
  return isObject(parsed) ? parsed : {};
}
