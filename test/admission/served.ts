// The webhooks behind their HTTPS server, asked as an API server asks them. For the tests of that
// server and for what measures it.
import type { SecureServer } from '#src/http/secure.ts';
import { Agent } from 'undici';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { type AdmissionServerOptions, serveAdmission } from '#src/admission/server.ts';
import { systemClock } from '#src/time/clock.ts';
import { type Authority, createAuthority } from '#src/tls/authority.ts';
import { servedWebhooks } from '#test/support/admission.ts';

export interface Served {
  readonly server: SecureServer;
  readonly origin: string;
  /** Trusts `ca`, by default the authority of the server's certificate; has no connection yet. */
  agent(options: {
    readonly connections: number;
    readonly localAddress?: string;
    readonly ca?: string;
  }): Agent;
}

/** On any free port, of a cluster without queues and topologies. */
export async function serveWebhooks(
  options: Pick<AdmissionServerOptions, 'onError'> & Partial<AdmissionServerOptions>,
  given?: Authority,
): Promise<Served> {
  const authority = given ?? (await testAuthority('test'));
  const server = await serveAdmission({
    host: '127.0.0.1',
    port: 0,
    identity: await authority.server(['localhost'], ['127.0.0.1']),
    webhooks: servedWebhooks,
    ...options,
  });
  return {
    server,
    origin: `https://localhost:${server.port}`,
    agent: ({ connections, ca = authority.cert, ...more }) =>
      new Agent({ connections, connect: { ca, ...more } }),
  };
}

export const testAuthority = (name: string): Promise<Authority> =>
  createAuthority(name, systemClock.now());

/** The body of a review of alice's; `more` goes over what its request says. */
export const reviewOf = (object: JsonObject, more: JsonObject = {}): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review',
      operation: 'CREATE',
      resource: { group: 'grove.io', version: 'v1alpha1', resource: 'podcliquesets' },
      namespace: 'default',
      name: 'base',
      userInfo: { username: 'alice' },
      object,
      oldObject: null,
      ...more,
    },
  });
