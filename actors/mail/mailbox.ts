// The mail of one actor, in order of arrival. Observations are coalesced by object: the newest one
// replaces one that still waits, but never a deletion. Signals are bounded by what causes them (one
// result per write in flight).
import { type Cause, prevailing } from './causality.ts';

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

/** From the runtime: the result of a write. */
export interface Signal {
  readonly type: 'signal';
  readonly event: MachineEvent;
  readonly cause: Cause;
}

export type Mail = News | Signal;

export class Mailbox {
  #mail: Mail[] = [];
  #from = 0;
  /** By object; undefined: none waits. There are very many mailboxes. */
  #news: Map<string, News> | undefined;
  /** Since when the oldest mail waits, on the steady clock. */
  since = 0;

  get length(): number {
    return this.#mail.length - this.#from;
  }

  /** News of an object; takes the place of older news of it that still wait. */
  news(object: string, events: readonly MachineEvent[], gone: boolean, cause: Cause): void {
    this.#news ??= new Map();
    const waiting = this.#news.get(object);
    if (waiting !== undefined && !waiting.gone) {
      waiting.events = events;
      waiting.gone = gone;
      waiting.cause = prevailing(waiting.cause, cause);
      return;
    }
    const news: News = { type: 'news', object, events, gone, cause };
    this.#news.set(object, news);
    this.#mail.push(news);
  }

  signal(event: MachineEvent, cause: Cause): void {
    this.#mail.push({ type: 'signal', event, cause });
  }

  take(): Mail | undefined {
    const mail = this.#mail[this.#from];
    if (mail === undefined) return undefined;
    this.#from++;
    if (this.#from === this.#mail.length) {
      this.#mail = [];
      this.#from = 0;
    }
    if (mail.type === 'news' && this.#news?.get(mail.object) === mail) {
      this.#news.delete(mail.object);
      if (this.#news.size === 0) this.#news = undefined;
    }
    return mail;
  }

  clear(): void {
    this.#mail = [];
    this.#from = 0;
    this.#news = undefined;
  }
}
