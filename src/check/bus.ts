// Does NATS answer where the configuration says, and does it keep history? A server introduces
// itself to whoever connects, before any credentials. Names of Services are known in the cluster
// alone: from elsewhere they cannot be looked at.
import { connect } from 'node:net';
import { isIP } from 'node:net';
import { at } from '#machines/kubernetes/json.ts';
import { unreachable } from '#src/kube/errors.ts';
import { type Check, fine, type Finding, notLooked } from './finding.ts';

const answerMs = 5_000;
/** An INFO line is a few hundred bytes. */
const maxInfoBytes = 64 * 1024;

export const busCheck: Check = {
  title: 'NATS',
  run: async ({ configured: { configuration } }) => {
    const { bus } = configuration;
    if (!bus.enabled) return fine;
    const findings: Finding[] = [];
    let isSeen = false;
    for (const server of bus.servers) {
      const { hostname, port } = addressOf(server);
      try {
        const info = bus.tls.handshakeFirst ? undefined : await infoOf(hostname, Number(port));
        if (bus.history.enabled && info !== undefined && at(info, 'jetstream') !== true) {
          findings.push(noHistory(server));
        }
        isSeen = true;
      } catch (error) {
        if (!isSeen && isInCluster(hostname, error)) {
          return notLooked(`${hostname} is known in the cluster alone: see coppice_bus_connected`);
        }
        findings.push(unanswered(server, unreachable(error).message));
      }
    }
    return { findings };
  },
};

/** `nats://host:4222`, or without the scheme or the port. */
function addressOf(server: string): { readonly hostname: string; readonly port: string } {
  const url = URL.parse(server.includes('://') ? server : `nats://${server}`);
  const hostname = (url?.hostname ?? server).replaceAll(/^\[|\]$/g, '');
  return { hostname, port: url?.port === undefined || url.port === '' ? '4222' : url.port };
}

const isInCluster = (host: string, error: unknown): boolean => {
  const code: unknown = Reflect.get(Object(error), 'code');
  const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  return (
    isUnknown &&
    isIP(host) === 0 &&
    (!host.includes('.') || /\.svc(?:\.|$)|^[^.]+\.[^.]+$/.test(host))
  );
};

function infoOf(host: string, port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host, port });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(answerMs, () => fail(new Error(`no answer within ${answerMs} ms`)));
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('it closed the connection without a word')));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\r\n') && text.length < maxInfoBytes) return;
      const [, json] = /^INFO (\{.*\})\s*\r\n/.exec(text) ?? [];
      if (json === undefined) return fail(new Error('what answers there is no NATS server'));
      socket.destroy();
      try {
        resolve(JSON.parse(json));
      } catch {
        reject(new Error('what answers there is no NATS server'));
      }
    });
  });
}

const unanswered = (server: string, why: string): Finding => ({
  code: 'nats-unreachable',
  what: `NATS at ${server} does not answer: ${why}`,
  hint: 'set bus.servers to where it is, or bus.enabled to false: all but the trace works without',
});

const noHistory = (server: string): Finding => ({
  code: 'nats-no-history',
  what: `NATS at ${server} has no JetStream, so older facts are not kept`,
  hint: 'start it with -js, or set bus.history.enabled to false',
});
