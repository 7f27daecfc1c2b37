// Connections to pods for HTTP/1.1: an undici client is one connection, and the idle ones of a pod
// are a stack, so that the warmest is used next and finding one costs the same however many there
// are. One per process: whoever probes pods asks through the same connections, so the first request
// finds one that is open (H-52, H-87).
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import { dial, type DialLimits, dialLimits, hostPortOf, leaveSocket } from './dial.ts';
import { PodSessions } from './sessions.ts';

export interface PodLimits {
  /** Idle connections to one pod, and to all of them (H-90). */
  readonly idlePerPod: number;
  readonly idle: number;
  /** An idle connection is closed after this. */
  readonly idleMs: number;
  /** Of the head of an answer. */
  readonly headerBytes: number;
  /** Requests on one session of HTTP/2. */
  readonly streams: number;
  readonly dial: DialLimits;
}

const podLimits: PodLimits = {
  idlePerPod: 100,
  idle: 1_000,
  idleMs: 90_000,
  headerBytes: 64 * 1_024,
  streams: 250,
  dial: dialLimits,
};

/** One connection, or the place of one: it connects when it is used. */
export class PodClient {
  readonly dest: string;
  readonly dispatcher: Client;
  isIdle = false;
  isConnected = false;
  socket: Socket | undefined;
  /** Ends an attempt to connect. */
  giveUp = (): void => undefined;

  constructor(dest: string, dispatcher: Client) {
    this.dest = dest;
    this.dispatcher = dispatcher;
  }

  /** Half of a close: the pod sees that nobody waits for its answer, and ends the other half when
   *  it is done with the request. `end` ends it where the pod takes too long. */
  leave(end: () => void): void {
    this.isConnected = false;
    const { socket } = this;
    if (socket === undefined) return end();
    leaveSocket(socket, end);
  }
}

export interface ProbeReply {
  readonly status: number;
  /** Its first 4 KiB. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ProbeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const mostOfBody = 4 * 1_024;

export class PodClients {
  readonly limits: PodLimits;
  /** For HTTP/2. */
  readonly sessions: PodSessions;
  readonly #idle = new Map<string, PodClient[]>();
  readonly #all = new Set<PodClient>();
  #idleCount = 0;

  constructor(limits: Partial<PodLimits> = {}) {
    this.limits = { ...podLimits, ...limits };
    this.sessions = new PodSessions(this.limits);
  }

  get figures(): { readonly connections: number; readonly idle: number } {
    return { connections: this.#all.size, idle: this.#idleCount };
  }

  take(dest: string): PodClient {
    const client = this.#idle.get(dest)?.pop();
    if (client === undefined) return this.#make(dest);
    client.isIdle = false;
    this.#idleCount -= 1;
    return client;
  }

  /** When its request has ended, however it ended. */
  giveBack(client: PodClient): void {
    if (client.dispatcher.destroyed || client.dispatcher.closed) return;
    if (!client.isConnected) return this.#end(client);
    const { idle, idlePerPod } = this.limits;
    let stack = this.#idle.get(client.dest);
    if (stack === undefined) this.#idle.set(client.dest, (stack = []));
    if (stack.length >= idlePerPod || this.#idleCount >= idle) return this.#end(client);
    client.isIdle = true;
    stack.push(client);
    this.#idleCount += 1;
  }

  /** Asks a pod. Rejects where it cannot be reached. The body is always read (H-67). */
  async probe(dest: string, { path, headers, signal }: ProbeRequest): Promise<ProbeReply> {
    const client = this.take(dest);
    try {
      const reply = await client.dispatcher.request({ method: 'GET', path, headers, signal });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of reply.body) {
        if (!(chunk instanceof Buffer)) continue;
        if (size < mostOfBody) chunks.push(chunk);
        size += chunk.length;
      }
      const body = Buffer.concat(chunks).subarray(0, mostOfBody).toString('utf8');
      return { status: reply.statusCode, body, headers: reply.headers };
    } finally {
      this.giveBack(client);
    }
  }

  /** At once; what is under way fails. */
  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    this.#idle.clear();
    this.#idleCount = 0;
    this.sessions.destroy();
    await Promise.all(
      all.map(({ dispatcher, giveUp }) => {
        giveUp();
        return dispatcher.destroy();
      }),
    );
  }

  #make(dest: string): PodClient {
    const { idleMs, headerBytes, dial: limits } = this.limits;
    const dispatcher = new Client(`http://${dest}`, {
      pipelining: 1,
      allowH2: false,
      // The request path has limits of its own, which include the time in the queue.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headerBytes,
      connect: (_, done) => {
        client.giveUp = dial(hostPortOf(dest), limits, (error, socket) => {
          if (socket === undefined) done(error ?? new Error('no connection'), null);
          else done(null, (client.socket = socket));
        });
      },
    });
    const client = new PodClient(dest, dispatcher);
    this.#all.add(client);
    dispatcher.on('connect', () => {
      client.isConnected = true;
    });
    dispatcher.on('disconnect', () => {
      client.isConnected = false;
      if (client.isIdle) this.#forget(client);
    });
    return client;
  }

  /** Its connection was closed while nobody used it. */
  #forget(client: PodClient): void {
    const stack = this.#idle.get(client.dest);
    const place = stack?.indexOf(client) ?? -1;
    if (place >= 0) {
      stack?.splice(place, 1);
      this.#idleCount -= 1;
    }
    client.isIdle = false;
    this.#end(client);
  }

  #end(client: PodClient): void {
    this.#all.delete(client);
    // Pods come and go, and each has an address of its own.
    if (this.#idle.get(client.dest)?.length === 0) this.#idle.delete(client.dest);
    client.giveUp();
    void client.dispatcher.destroy();
  }
}
