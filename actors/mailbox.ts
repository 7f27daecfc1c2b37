// The mail of one actor, in order of arrival. Observations are coalesced by object: the newest one
// replaces one that still waits, but never a deletion. Messages are bounded; the rest is bounded by
// what causes it (one result per write in flight).
import type { EpochMs } from '#machines/vocabulary.ts';
import type { Cause } from './causality.ts';

export interface MachineEvent {
  readonly type: string;
}

/** What is new about one object; `gone`: the events say that it is deleted or no longer ours. */
export interface News {
  readonly type: 'news';
  readonly object: string;
  events: readonly MachineEvent[];
  gone: boolean;
  cause: Cause;
}

export interface Letter {
  /** `message` from an actor; `signal` from the runtime: the result of a write. */
  readonly type: 'message' | 'signal';
  readonly event: MachineEvent;
  readonly cause: Cause;
}

export type Mail = News | Letter;

export class Mailbox {
  #mail: Mail[] = [];
  #from = 0;
  #messages = 0;
  readonly #news = new Map<string, News>();
  readonly #maxMessages: number;
  /** Messages refused because the box was full. */
  dropped = 0;
  /** Since when the oldest mail waits. */
  since: EpochMs = 0;

  constructor(maxMessages: number) {
    this.#maxMessages = maxMessages;
  }

  get length(): number {
    return this.#mail.length - this.#from;
  }

  /** News of an object; takes the place of older news of it that still wait. */
  news(object: string, events: readonly MachineEvent[], gone: boolean, cause: Cause): void {
    const waiting = this.#news.get(object);
    if (waiting !== undefined && !waiting.gone) {
      waiting.events = events;
      waiting.gone = gone;
      waiting.cause = cause;
      return;
    }
    const news: News = { type: 'news', object, events, gone, cause };
    this.#news.set(object, news);
    this.#mail.push(news);
  }

  /** False when the box is full of messages and this one was dropped. */
  post(letter: Letter): boolean {
    if (letter.type === 'message') {
      if (this.#messages >= this.#maxMessages) {
        this.dropped++;
        return false;
      }
      this.#messages++;
    }
    this.#mail.push(letter);
    return true;
  }

  take(): Mail | undefined {
    const mail = this.#mail[this.#from];
    if (mail === undefined) return undefined;
    this.#from++;
    if (this.#from === this.#mail.length) {
      this.#mail = [];
      this.#from = 0;
    }
    if (mail.type === 'message') this.#messages--;
    if (mail.type === 'news' && this.#news.get(mail.object) === mail) {
      this.#news.delete(mail.object);
    }
    return mail;
  }

  /** Empties the box and returns the messages that were in it. */
  clear(): Letter[] {
    const messages: Letter[] = [];
    for (let mail = this.take(); mail !== undefined; mail = this.take()) {
      if (mail.type === 'message') messages.push(mail);
    }
    return messages;
  }
}
