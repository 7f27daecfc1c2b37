// Which connections a server keeps. It is never full: when it is, or a peer has its share, the
// connection that matters least goes and the new one comes in, so a probe or an API server always
// gets in, however many others hold connections open. Used by the servers of src/http and
// src/admission.
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
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
 * - `starting`: has not sent the whole of a first request.
 * - `answering`: the whole request is here, and the answer is not under way yet.
 * - `waiting`: for the peer: to take the answer, or to send its next request.
 */
type State = 'starting' | 'answering' | 'waiting';

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
  readonly starting: Set<Connection>;
  readonly known: Set<Connection>;
  connections: number;
}

const newPeer = (): Peer => ({ starting: new Set(), known: new Set(), connections: 0 });

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

  /** Takes no more, ends what nothing is under way on, and the rest when that is answered or the
   *  time is over. */
  drain(server: Server | HttpsServer, patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => this.closeAll(), patienceMs);
      server.close(() => {
        clearTimeout(patience);
        resolve();
      });
      this.#isClosing = true;
      for (const { open, socket } of this.#connections.values()) if (open === 0) socket.destroy();
    });
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
      state: 'starting',
      since: performance.now(),
      open: 0,
    };
    const id = idOf(socket);
    peer.connections++;
    peer.starting.add(connection);
    this.#connections.set(id, connection);
    socket.once('close', () => this.#forget(id, address, connection));
  }

  #forget(id: string, address: string, connection: Connection): void {
    const { peer } = connection;
    if (this.#connections.get(id) === connection) this.#connections.delete(id);
    peer.starting.delete(connection);
    peer.known.delete(connection);
    peer.connections--;
    if (peer.connections === 0) this.#peers.delete(address);
  }

  /** False: all that could go are being answered. */
  #makeRoom(address: string): boolean {
    const { connections, connectionsPerPeer } = this.#limits;
    const own = this.#peers.get(address);
    if (own !== undefined && own.connections >= connectionsPerPeer) return end([own], this.#limits);
    return this.#connections.size < connections || end([...this.#peers.values()], this.#limits);
  }

  #follow(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(idOf(request.socket));
    if (connection === undefined) return;
    const become = (state: State): void => {
      if (request.complete || connection.state !== 'starting') move(connection, state);
    };
    let slow: NodeJS.Timeout | undefined;
    connection.open++;
    become('waiting');
    request.once('end', () => become(response.writableEnded ? 'waiting' : 'answering'));
    response.once('prefinish', () => {
      become('waiting');
      slow = setTimeout(() => connection.socket.destroy(), this.#limits.sendMs).unref();
    });
    response.once('close', () => {
      clearTimeout(slow);
      connection.open--;
      if (connection.open > 0) return;
      become('waiting');
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
  peer.starting.delete(connection);
  peer.known.delete(connection);
  if (state !== 'answering' && !connection.socket.destroyed) peer.known.add(connection);
}

/** What a choice of the connection that has to go is made by: times on the clock of `since`. */
interface Ages {
  /** Who began to wait before this had time for a first byte. */
  readonly greeted: number;
  /** Who began to wait before this is young no more. */
  readonly settled: number;
}

/**
 * Those of a peer that go first, then those that go next, and so on. So silent peers end each
 * other, slow ones come next, and the connections of an API server stay. A new one is spared until
 * its first byte can be here: else, while slow peers hold all others, each that comes would end the
 * one before.
 */
const groups: readonly ((peer: Peer, ages: Ages) => Iterable<Connection>)[] = [
  ({ starting }, { greeted }) =>
    [...starting].filter(({ since, socket }) => since <= greeted && socket.bytesRead === 0),
  ({ starting }, { settled }) => [...starting].filter(({ since }) => since <= settled),
  ({ starting }) => starting,
  ({ known }) => known,
];

/**
 * Ends the connection that has waited longest, of the peer that has most. While all are young it is
 * the oldest of all: who opens many at once is still shaking hands, and is no worse than others.
 */
function end(peers: readonly Peer[], { helloMs, graceMs }: ServerLimits): boolean {
  const now = performance.now();
  const ages = { greeted: now - helloMs, settled: now - graceMs };
  for (const group of groups) {
    let chosen: Connection | undefined;
    let most = 0;
    for (const peer of peers) {
      const waiting = [...group(peer, ages)];
      const [oldest] = waiting;
      if (oldest === undefined) continue;
      const size = oldest.since <= ages.settled ? waiting.length : 0;
      const isOlder = chosen === undefined || oldest.since < chosen.since;
      if (size < most || (size === most && !isOlder)) continue;
      chosen = oldest;
      most = size;
    }
    if (chosen === undefined) continue;
    chosen.peer.starting.delete(chosen);
    chosen.peer.known.delete(chosen);
    chosen.socket.destroy();
    return true;
  }
  return false;
}
