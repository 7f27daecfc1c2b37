// Sessions of HTTP/2 with pods, by prior knowledge. One carries the requests of many clients; a
// further one is opened when those that are there are full. Part of pods.ts.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
} from 'node:http2';
import type { Socket } from 'node:net';
import { dial, type DialLimits, hostPortOf } from './dial.ts';

export interface SessionLimits {
  /** Requests on one session at once, if the pod allows as many. */
  readonly streams: number;
  /** A session without requests is closed after this. */
  readonly idleMs: number;
  readonly dial: DialLimits;
}

type Taken = (error: Error | undefined, session: PodSession | undefined) => void;

/** A session, or the place of one that is being opened. */
export class PodSession {
  readonly #most: number;
  #session: ClientHttp2Session | undefined;
  /** Requests that are on it. */
  #users = 0;
  /** Ours: Node keeps the time-out of a session, and with it the session, until it is due, although
   *  the session was destroyed. */
  #idle: NodeJS.Timeout | undefined;
  readonly waiting = new Set<Taken>();
  giveUp = (): void => undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  get hasRoom(): boolean {
    const session = this.#session;
    if (session === undefined) return this.waiting.size < this.#most;
    if (session.closed || session.destroyed) return false;
    const { maxConcurrentStreams = this.#most } = session.remoteSettings;
    return this.#users < Math.min(this.#most, maxConcurrentStreams);
  }

  take(): void {
    this.#users += 1;
  }

  /** When a request on it has ended. */
  giveBack(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#idle?.refresh();
  }

  open(session: ClientHttp2Session, idleMs: number): void {
    this.#session = session;
    this.#idle = setTimeout(() => {
      if (this.#users === 0) session.close();
    }, idleMs).unref();
    session.once('close', () => {
      clearTimeout(this.#idle);
      this.#idle = undefined;
    });
  }

  /** Throws where the session has just ended. */
  request(head: readonly string[], options: ClientSessionRequestOptions): ClientHttp2Stream {
    if (this.#session === undefined) throw new Error('the session is not open');
    return this.#session.request(head, options);
  }

  destroy(): void {
    this.giveUp();
    this.#session?.destroy();
  }
}

const cancelNothing = (): void => undefined;

export class PodSessions {
  readonly #limits: SessionLimits;
  readonly #byDest = new Map<string, PodSession[]>();

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    let size = 0;
    for (const sessions of this.#byDest.values()) size += sessions.length;
    return size;
  }

  /** Calls back once, perhaps at once. The result leaves the line for one that is being opened;
   *  nobody is called then, and when all have left it is given up. */
  take(dest: string, done: Taken): () => void {
    const session = this.#byDest.get(dest)?.find(({ hasRoom }) => hasRoom) ?? this.#open(dest);
    if (session.isOpen) {
      session.take();
      done(undefined, session);
      return cancelNothing;
    }
    session.waiting.add(done);
    return () => {
      if (!session.waiting.delete(done) || session.waiting.size > 0) return;
      session.giveUp();
      this.#forget(dest, session);
    };
  }

  destroy(): void {
    for (const sessions of this.#byDest.values()) for (const one of sessions) one.destroy();
    this.#byDest.clear();
  }

  #open(dest: string): PodSession {
    const made = new PodSession(this.#limits.streams);
    const sessions = this.#byDest.get(dest);
    if (sessions === undefined) this.#byDest.set(dest, [made]);
    else sessions.push(made);
    made.giveUp = dial(hostPortOf(dest), this.#limits.dial, (error, socket) => {
      if (socket === undefined) this.#forget(dest, made);
      else this.#connect(dest, made, socket);
      const waiting = [...made.waiting];
      made.waiting.clear();
      for (const done of waiting) {
        if (socket !== undefined) made.take();
        done(error, socket === undefined ? undefined : made);
      }
    });
    return made;
  }

  #connect(dest: string, made: PodSession, socket: Socket): void {
    const options = {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: 1_024 * 1_024 },
      // As for clients (listeners.ts). The types lack it.
      strictSingleValueFields: false,
    };
    const session = connect(`http://${dest}`, options);
    // Its requests fail, each by itself.
    session.on('error', () => undefined);
    session.on('close', () => this.#forget(dest, made));
    made.open(session, this.#limits.idleMs);
  }

  #forget(dest: string, session: PodSession): void {
    const sessions = this.#byDest.get(dest);
    const at = sessions?.indexOf(session) ?? -1;
    if (at >= 0) sessions?.splice(at, 1);
    if (sessions?.length === 0) this.#byDest.delete(dest);
  }
}
