// A crowd of bad peers, as a process of its own: silent ones that connect and say nothing, slow
// ones that send a byte a second. Whoever is cut off comes back within ten seconds, each in its own
// time. Started with `startPeers`; `{ port, tls, silent, slow, addresses }` as JSON is its
// argument.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { connect as connectTls } from 'node:tls';

export interface Crowd {
  readonly port: number;
  readonly tls: boolean;
  readonly silent: number;
  readonly slow: number;
  /** How many addresses they come from: 127.1.0.0 and on. */
  readonly addresses: number;
}

export interface Peers {
  /** Connections that were made so far. */
  readonly made: () => number;
  stop(): Promise<void>;
}

/** Resolves when each of them has connected once. */
export async function startPeers(crowd: Crowd): Promise<Peers> {
  const child = fork(import.meta.filename, [JSON.stringify(crowd)]);
  let made = 0;
  const all = Promise.withResolvers<void>();
  child.on('message', (count) => {
    made = Number(count);
    if (made >= crowd.silent + crowd.slow) all.resolve();
  });
  child.once('exit', () => all.reject(new Error('the peers ended')));
  await all.promise;
  return {
    made: () => made,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const pauseMs = 10_000;
const header =
  'POST /webhooks/validate-podcliqueset HTTP/1.1\r\nhost: x\r\ncontent-length: 9999\r\n';

class Peer {
  readonly #crowd: Crowd;
  readonly #index: number;
  #socket: Socket | undefined;
  #sent = 0;

  constructor(crowd: Crowd, index: number) {
    this.#crowd = crowd;
    this.#index = index;
  }

  get #isSlow(): boolean {
    return this.#index >= this.#crowd.silent;
  }

  open(): void {
    const { port, tls, addresses } = this.#crowd;
    const number = this.#index % addresses;
    const localAddress = `127.1.${number >> 8}.${number & 255}`;
    const to = { host: '127.0.0.1', port, localAddress };
    const socket = connect(to, () => made++);
    this.#socket = tls && this.#isSlow ? connectTls({ socket, rejectUnauthorized: false }) : socket;
    this.#sent = 0;
    this.#socket.on('error', () => {});
    socket.on('error', () => {});
    socket.once('close', () => setTimeout(() => this.open(), Math.random() * pauseMs));
  }

  /** Over TLS the head at once and then its body; else the head letter by letter. */
  tick(): void {
    if (!this.#isSlow || this.#socket?.writable !== true) return;
    const isBody = this.#crowd.tls && this.#sent > 0;
    const next = this.#crowd.tls ? `${header}\r\n` : (header[this.#sent % header.length] ?? '');
    this.#socket.write(isBody ? ' ' : next);
    this.#sent++;
  }
}

let made = 0;

async function run(crowd: Crowd): Promise<void> {
  const peers = Array.from({ length: crowd.silent + crowd.slow }, (_, i) => new Peer(crowd, i));
  setInterval(() => process.send?.(made), 50);
  setInterval(() => {
    for (const peer of peers) peer.tick();
  }, 1_000);
  process.once('disconnect', () => process.exit());
  for (const [index, peer] of peers.entries()) {
    peer.open();
    if (index % 100 === 0) await new Promise(setImmediate);
  }
}

const [, program, argument] = process.argv;
if (program === import.meta.filename && argument !== undefined) {
  setPriority(19); // real ones take none of the server's CPU
  await run(JSON.parse(argument) as Crowd);
}
