// The clients of a soak: of each kind some send one request after the other until they are stopped,
// and every request ends in one of few ways, which are counted.
import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { revisionKey } from '#test/machines/activator/objects.ts';
import { type Account, Clients, newAccount } from '../clients.ts';

export interface Kind {
  readonly account: Account;
  /** Ends with the answers to all that was sent. */
  stop(): Promise<Account>;
}

interface Settings {
  readonly port: number;
  readonly clients: number;
  /** Of requests, so that no two have the same. */
  readonly numberOf: () => string;
}

const named = {
  'knative-serving-namespace': revisionKey.namespace,
  'knative-serving-revision': revisionKey.name,
};

type Send = (account: Account) => Promise<void>;

function running(clients: number, send: Send, close = (): void => undefined): Kind {
  const account = newAccount();
  const state = { isStopping: false };
  const client = async (): Promise<void> => {
    while (!state.isStopping) await send(account);
  };
  const all = Promise.all(Array.from({ length: clients }, () => client()));
  return {
    account,
    stop: async () => {
      state.isStopping = true;
      await all;
      close();
      return account;
    },
  };
}

/** HTTP/1.1 on connections that are kept, and on one for each request; every tenth gives up. */
export const requests = ({ port, clients, numberOf }: Settings, isKept: boolean): Kind =>
  new Clients({
    port,
    clients,
    isKept,
    bytes: isKept ? 200 : 0,
    numberOf,
    patienceMs: (number) => (number % 10 === 0 ? (number % 30) + 1 : undefined),
  });

/** h2c: each client has a session of its own, which ends after some requests. */
export function streams({ port, clients, numberOf }: Settings): Kind {
  const sessions = new Set<ClientHttp2Session>();
  const free: { session: ClientHttp2Session; left: number }[] = [];
  const take = () => {
    const found = free.pop();
    if (found !== undefined && !found.session.destroyed && found.left > 0) return found;
    found?.session.close();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
    return { session, left: 50 };
  };
  const send: Send = async (account) => {
    const number = numberOf();
    account.sent += 1;
    const place = take();
    place.left -= 1;
    const isCancelled = account.sent % 10 === 0;
    await onStream(place.session, { number, isCancelled }, account);
    free.push(place);
  };
  return running(clients, send, () => {
    for (const session of sessions) session.destroy();
  });
}

interface Sent {
  readonly number: string;
  readonly isCancelled: boolean;
}

const onStream = (session: ClientHttp2Session, sent: Sent, account: Account): Promise<void> =>
  new Promise((resolve) => {
    const { number, isCancelled } = sent;
    const head = { ...named, ':method': 'POST', ':path': '/', 'x-number': number };
    const stream = session.request(head);
    let status = 0;
    let body = '';
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
    });
    stream.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      if (isCancelled) account.cancelled += 1;
      else if (status === 200 && body === number && stream.rstCode === 0) account.ok += 1;
      else if (status >= 400) refuse(account, status);
      else if (status === 200 && stream.rstCode !== 0) refuse(account, stream.rstCode);
      else account.lost.push(`${number}: ${status} ${stream.rstCode} ${body.slice(0, 40)}`);
      resolve();
    });
    stream.end(number);
    if (isCancelled) setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), account.sent % 15);
  });

function refuse(account: Account, status: number): void {
  account.refused += 1;
  account.statuses[status] = (account.statuses[status] ?? 0) + 1;
}

/** Connections that leave HTTP: a few bytes there and back, and either side ends it. */
export const tunnels = ({ port, clients, numberOf }: Settings): Kind =>
  running(
    clients,
    (account) =>
      new Promise((resolve) => {
        const number = numberOf();
        account.sent += 1;
        const over = (count: () => void): void => {
          asked
            .removeAllListeners()
            .on('error', () => undefined)
            .destroy();
          count();
          resolve();
        };
        const asked = request({
          port,
          host: '127.0.0.1',
          agent: new Agent(),
          headers: { ...named, 'x-number': number, connection: 'upgrade', upgrade: 'echo' },
        });
        asked.on('upgrade', (_, socket) => {
          let echoed = '';
          socket.on('error', () => undefined);
          socket.on('data', (chunk: Buffer) => {
            echoed += chunk.toString('latin1');
            if (echoed.length >= number.length) socket.end();
          });
          socket.on('close', () =>
            over(() => {
              if (echoed === number) account.ok += 1;
              else refuse(account, 101);
            }),
          );
          socket.write(number);
        });
        asked.on('response', (answer) => {
          answer.resume().on('end', () => over(() => refuse(account, answer.statusCode ?? 0)));
        });
        asked.on('error', (error) => over(() => account.lost.push(`${number}: ${error.message}`)));
        asked.end();
      }),
  );

const bad = [
  'GET / HTTP/1.1\r\nHost: a\r\nKnative-Serving-Revision: nobody\r\nKnative-Serving-Namespace: demo\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense that is no frame',
  `GET / HTTP/1.1\r\nX-A: ${'x'.repeat(70_000)}\r\n\r\n`,
  'GET / HTTP/1.1\r\nHost: a\r\n',
];

/** Those whose requests nobody should take: each is answered with an error or cut off. */
export const strangers = ({ port, clients }: Settings): Kind =>
  running(
    clients,
    (account) =>
      new Promise((resolve) => {
        const text = bad[account.sent % bad.length] ?? '';
        account.sent += 1;
        let got = '';
        const socket = connect({ port, host: '127.0.0.1' });
        socket.on('error', () => undefined);
        socket.on('data', (chunk: Buffer) => {
          got += chunk.toString('latin1');
          socket.end();
        });
        socket.on('close', () => {
          if (got.includes(' 200 ')) account.lost.push(`${text.slice(0, 80)}: ${got}`);
          else account.refused += 1;
          resolve();
        });
        socket.write(text);
        // Half of a head, and then nothing more.
        if (!text.endsWith('\r\n\r\n')) socket.end();
      }),
  );
