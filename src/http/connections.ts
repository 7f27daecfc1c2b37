// Which connections a server keeps. It is never full: when it is, or a peer has its share, the
// connection that matters least goes and the new one comes in, so a probe or an API server always
// gets in, however many others hold connections open. Used by the servers of src/http and
// src/admission.
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerLimits } from './limits.ts';

/** Of `createServer`, so that Node itself ends what is too slow. */
export const serverOptions = (limits: ServerLimits) =>
  ({
    headersTimeout: limits.headerMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.headerBytes,
  }) satisfies ServerOptions;

/** Connections that wait in the kernel while the process is busy. */
export const backlog = 4_096;

/**
 * - `silent`: has not sent the whole header of a first request.
 * - `receiving`: the body of a request is on its way.
 * - `answering`: the whole request is here.
 * - `sending`: the answer is on its way.
 * - `idle`: between two requests.
 */
type State = 'silent' | 'receiving' | 'answering' | 'sending' | 'idle';

interface Connection {
  readonly socket: Socket;
  readonly peer: Peer;
  state: State;
  /** Since when it waits. */
  since: number;
  /** Requests that are not answered yet: a peer may send several at once. */
  open: number;
}

/** All connections from one address. The sets are in the order in which their waiting began. */
interface Peer {
  readonly silent: Set<Connection>;
  readonly known: Set<Connection>;
  connections: number;
}

const newPeer = (): Peer => ({ silent: new Set(), known: new Set(), connections: 0 });

export class Connections {
  readonly #limits: ServerLimits;
  readonly #peers = new Map<string, Peer>();
  readonly #connections = new Map<string, Connection>();
  #isClosing = false;

  /** Watches over every connection of the server from now on. */
  constructor(server: Server, limits: ServerLimits) {
    this.#limits = limits;
    server.on('connection', (socket) => this.#admit(socket));
    server.on('request', (request, response) => this.#follow(request, response));
  }

  /** Ends what no request is under way on, now and from now on. */
  closeUnused(): void {
    this.#isClosing = true;
    for (const { state, socket } of this.#connections.values()) {
      if (state === 'silent' || state === 'idle') socket.destroy();
    }
  }

  closeAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #admit(socket: Socket): void {
    const { remoteAddress: address } = socket;
    if (address === undefined || this.#isClosing || !this.#makeRoom(address)) {
      socket.destroy();
      return;
    }
    const peer = this.#peers.get(address) ?? newPeer();
    this.#peers.set(address, peer);
    const connection: Connection = {
      socket,
      peer,
      state: 'silent',
      since: performance.now(),
      open: 0,
    };
    const id = idOf(socket);
    peer.connections++;
    peer.silent.add(connection);
    this.#connections.set(id, connection);
    socket.once('close', () => this.#forget(id, address, connection));
  }

  #forget(id: string, address: string, connection: Connection): void {
    const { peer } = connection;
    if (this.#connections.get(id) === connection) this.#connections.delete(id);
    peer.silent.delete(connection);
    peer.known.delete(connection);
    peer.connections--;
    if (peer.connections === 0) this.#peers.delete(address);
  }

  /** False: all that could go are being answered. */
  #makeRoom(address: string): boolean {
    const { connections, connectionsPerPeer, graceMs } = this.#limits;
    const own = this.#peers.get(address);
    const settled = performance.now() - graceMs;
    if (own !== undefined && own.connections >= connectionsPerPeer) return end([own], settled);
    return this.#connections.size < connections || end([...this.#peers.values()], settled);
  }

  #follow(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(idOf(request.socket));
    if (connection === undefined) return;
    let slow: NodeJS.Timeout | undefined;
    connection.open++;
    move(connection, 'receiving');
    request.once('end', () => {
      if (!response.writableEnded) move(connection, 'answering');
    });
    response.once('prefinish', () => {
      move(connection, 'sending');
      slow = setTimeout(() => connection.socket.destroy(), this.#limits.sendMs).unref();
    });
    response.once('close', () => {
      clearTimeout(slow);
      connection.open--;
      if (connection.open > 0) return;
      move(connection, 'idle');
      if (this.#isClosing) connection.socket.end();
    });
  }
}

/** The same for a connection and for the TLS connection over it, and for no other at that time. */
const idOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Nobody ends a connection that is being answered. */
function move(connection: Connection, state: State): void {
  const { peer } = connection;
  connection.state = state;
  connection.since = performance.now();
  peer.silent.delete(connection);
  peer.known.delete(connection);
  if (state !== 'answering' && !connection.socket.destroyed) peer.known.add(connection);
}

/**
 * Ends the connection that has waited longest, of the peer that has most: first among those that
 * have never asked anything, so that silent peers end each other and not the connections of an API
 * server. While all are young it is the oldest of all: who opens many at once is still shaking
 * hands, and is no worse than others.
 */
function end(peers: readonly Peer[], settled: number): boolean {
  for (const kind of ['silent', 'known'] as const) {
    let chosen: Connection | undefined;
    let most = 0;
    for (const { [kind]: waiting } of peers) {
      const [oldest] = waiting;
      if (oldest === undefined) continue;
      const size = oldest.since <= settled ? waiting.size : 0;
      const isOlder = chosen === undefined || oldest.since < chosen.since;
      if (size < most || (size === most && !isOlder)) continue;
      chosen = oldest;
      most = size;
    }
    if (chosen === undefined) continue;
    chosen.peer[kind].delete(chosen);
    chosen.socket.destroy();
    return true;
  }
  return false;
}
