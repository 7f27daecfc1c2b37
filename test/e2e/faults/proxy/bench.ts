// What the tests of the proxy for API servers stand on: a small HTTPS server, the proxy before it,
// and a client of the kind that the controller has.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { fixedCredentials, type KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import type { KubeResponse, WatchEnd } from '#src/kube/transport/transport.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { eventually } from '#test/support/eventually.ts';
import { ApiProxy } from './api-proxy.ts';
import type { Fault, Rule } from './rules.ts';
import { SmallServer } from './small-server.ts';

export const pods = '/api/v1/namespaces/here/pods';

export interface Watching {
  /** Of the objects in its events; `ERROR`. */
  readonly names: string[];
  readonly ended: Promise<WatchEnd>;
  readonly close: () => void;
}

interface Parts {
  readonly proxy: ApiProxy;
  readonly transport: HttpTransport;
}

export class Bench {
  readonly server = new SmallServer();
  readonly #lifts: (() => void)[] = [];
  #parts: Parts | undefined;

  /** Starts with the test file and ends with it; rules end with each test. */
  constructor() {
    const https = createServer(this.server.handle);
    beforeAll(async () => {
      const authority = await createAuthority('small', Date.now());
      https.setSecureContext(await authority.server(['localhost'], ['127.0.0.1']));
      await new Promise<void>((ready) => https.listen(0, '127.0.0.1', ready));
      const { port } = https.address() as AddressInfo;
      const connection = connectionTo(`https://127.0.0.1:${port}`, authority.cert, 'upstream');
      const proxy = await ApiProxy.start(connection, { seed: 7, namespace: 'here' });
      const ours = connectionTo(proxy.url, proxy.ca, 'ours');
      this.#parts = { proxy, transport: httpTransport(ours, { userAgent: 'test' }) };
    });
    afterEach(() => this.#lifts.splice(0).forEach((lift) => lift()));
    afterAll(async () => {
      await this.#parts?.transport.close();
      await this.#parts?.proxy.end();
      https.closeAllConnections();
      await new Promise((closed) => https.close(closed));
    });
  }

  get proxy(): ApiProxy {
    return this.#started.proxy;
  }

  readonly request = (path: string): Promise<KubeResponse> =>
    this.#started.transport.request({ method: 'GET', path });

  readonly create = (name: string): Promise<KubeResponse> => {
    const body = { metadata: { name } };
    return this.#started.transport.request({ method: 'POST', path: pods, body });
  };

  readonly get = (name: string): Promise<KubeResponse> => this.request(`${pods}/${name}`);

  readonly inflict = (fault: Fault, rest: Omit<Rule, 'fault'> = {}): (() => void) => {
    const lift = this.proxy.inflict({ ...rest, fault });
    this.#lifts.push(lift);
    return lift;
  };

  readonly watch = (): Watching => {
    const names: string[] = [];
    const { promise, resolve } = Promise.withResolvers<WatchEnd>();
    const close = this.#started.transport.watch('/api/v1/pods?watch=true', {
      event: ({ type, object }) => {
        const { metadata } = object as { metadata?: { name: string } };
        names.push(type === 'ERROR' ? type : (metadata?.name ?? ''));
      },
      closed: resolve,
    });
    return { names, ended: promise, close };
  };

  /** The same, once the proxy has the server's answer: only then a rule strikes it as one that is
   *  open. */
  readonly watching = async (): Promise<Watching> => {
    const open = (): number =>
      this.proxy.traffic.count(({ verb, status }) => verb === 'watch' && status === 200);
    const before = open();
    const one = this.watch();
    await eventually('a watch open', open, (now) => now > before);
    return one;
  };

  get #started(): Parts {
    if (this.#parts === undefined) throw new Error('the bench has not been started');
    return this.#parts;
  }
}

const connectionTo = (url: string, ca: string, token: string): KubeConnection => ({
  server: url,
  tls: { ca, insecure: false },
  namespace: 'default',
  credentials: fixedCredentials({ headers: { authorization: `Bearer ${token}` } }),
});
