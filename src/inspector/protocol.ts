// What the inspector's server and its page say to each other, as types. JSON over HTTP, all times
// in milliseconds since 1970. Rows travel by column: 10,000 of them are a few hundred kilobytes,
// and a text that many rows share is sent once.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** `podclique/default/demo-0-worker`; names hold no slash. */
export type ActorId = string;

/** `GET /api/v1/session` */
export interface Session {
  /** As the API server names whoever asks; `local` with the one-time token of `npm start`. */
  readonly user: string;
  /** True where commands are obeyed at all; whether this user may is said per request. */
  readonly commands: boolean;
  readonly version: string;
  /** Of the process that answers: a new one after a restart, and its sequence begins anew. */
  readonly process: string;
  readonly startedAt: number;
  readonly now: number;
  /** Where history from before the start of this process comes from. */
  readonly stream: 'none' | 'jetstream';
  readonly shards: readonly ShardRow[];
}

/** `POST /api/v1/session` with the token of the link: what to send from then on. The one-time
 *  token of `npm start` is traded for that of a session, and is spent; one of a cluster comes back
 *  as it is. */
export interface SessionToken {
  readonly token: string;
}

export interface ShardRow {
  readonly shard: number;
  /** Empty: nobody holds it. */
  readonly holder: string;
  readonly isHere: boolean;
}

/** `GET /api/v1/overview`: is anything wrong? Of all processes that answer. */
export interface Overview {
  readonly sequence: number;
  readonly actors: number;
  readonly parked: number;
  readonly restarting: number;
  /** Objects whose writes wait after an error. */
  readonly backingOff: readonly {
    readonly object: string;
    readonly code: string;
    readonly until: number | null;
  }[];
  /** Since the start of the process, by answer: `409` to 3. */
  readonly answers: Readonly<Record<string, number>>;
  readonly writesPerSecond: number;
  readonly watches: readonly { readonly kind: string; readonly ageMs: number }[];
  readonly shards: readonly ShardRow[];
  readonly missing?: Missing;
}

/** Names of processes that own shards and did not answer; absent: all did. */
export type Missing = readonly string[];

/** `GET /api/v1/actors?kind=&namespace=&state=&parked=&text=&limit=&continue=`; without `limit` all
 *  that match, at most 50,000. `state` is the path of a state that is active, such as
 *  `active.scheduling`; pages are in the order of ids. Only of namespaces in which the user may
 *  list. */
export interface ActorPage {
  /** Of the newest change that is in it: a stream goes on behind it. */
  readonly sequence: number;
  /** That match, on all pages. */
  readonly total: number;
  readonly rows: ActorColumns;
  readonly continue?: string;
  readonly missing?: Missing;
}

/** `GET /api/v1/changes?since=<ms>` or `?after=<sequence>&process=<process>`: rows that changed,
 *  which processes ask each other for, so that the stream of one shows the actors of all. */
export type ChangePage =
  | ({ readonly process: string } & Omit<Extract<StreamEvent, { type: 'delta' }>, 'type'>)
  | { readonly process: string; readonly resync: string };

/** One array per column, all of one length. `number` columns that end in `At` index their table. */
export interface ActorColumns {
  readonly tables: {
    readonly kind: readonly string[];
    readonly namespace: readonly string[];
    /** State values of xstate as JSON text. */
    readonly state: readonly string[];
    /** Ids of parents. */
    readonly parent: readonly ActorId[];
  };
  readonly kindAt: readonly number[];
  readonly namespaceAt: readonly number[];
  readonly name: readonly string[];
  readonly stateAt: readonly number[];
  /** -1: it is a root. */
  readonly parentAt: readonly number[];
  /** When the state was entered; 0: before this process. */
  readonly since: readonly number[];
  readonly restarts: readonly number[];
  /** 0 or 1. */
  readonly parked: readonly number[];
  /** Mail that waits. */
  readonly mailbox: readonly number[];
}

/** `GET /api/v1/stream?after=<sequence>&process=<process>&facts=<what>`: `text/event-stream`, read
 *  by fetch. Each event is `event: <type>` and `data: <JSON>`. Batches of 100 ms. `facts` is `all`,
 *  or the id of the actor whose facts are wanted; absent: none are, as most views show rows
 *  alone. */
export type StreamEvent =
  /** Rows that are new or changed, and actors that are no more. */
  | {
      readonly type: 'delta';
      readonly sequence: number;
      readonly rows: ActorColumns;
      readonly gone: readonly ActorId[];
    }
  | {
      readonly type: 'facts';
      readonly sequence: number;
      readonly facts: readonly FactRow[];
      readonly skipped: number;
    }
  /** Who owns which shard: at first, and whenever that changes. Rows of other processes come every
   *  five seconds, their facts not at all. */
  | { readonly type: 'shards'; readonly shards: readonly ShardRow[]; readonly missing?: Missing }
  /** The sequence is not known any more, or this viewer was too slow: list anew, then go on. */
  | { readonly type: 'resync'; readonly why: string }
  | { readonly type: 'ping'; readonly now: number }
  /** The token has ended, or the rights have. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string };

/** As on the bus (docs/bus.md), with the place in the ring of this process. */
export interface FactRow {
  readonly sequence: number;
  readonly id: string;
  readonly cause: string;
  readonly trace: string;
  readonly at: number;
  readonly about: ActorId;
  readonly what: string;
  readonly data: JsonObject;
}

/** `GET /api/v1/actors/<kind>/<namespace>/<name>`: as the question `state`; `.../why` as `why`. A
 *  namespace that is empty is written `-`. */

/** `GET .../history?before=<sequence>&limit=&stream=`: newest first. */
export interface HistoryPage {
  readonly facts: readonly FactRow[];
  /** What is older than the oldest: there is more, it fell out of the ring, the process started
   *  then, or the actor did. */
  readonly older: 'more' | 'dropped' | 'restarted' | 'begin';
  /** Where `more` is in the stream: given back as `stream`, in the place of `before`. */
  readonly stream?: number;
}

/** `GET /api/v1/traces/<id>`: all facts of a trace that are known here, oldest first. */
export interface TracePage {
  readonly trace: string;
  readonly facts: readonly FactRow[];
  /** False where facts of it may have been lost, or are of namespaces that the user may not see. */
  readonly isWhole: boolean;
  readonly missing?: Missing;
}

/** `GET /api/v1/facts?from=&to=&namespace=&text=&limit=`: oldest first, for the timeline. */
export interface FactPage {
  readonly facts: readonly FactRow[];
  readonly older: HistoryPage['older'];
  readonly missing?: Missing;
}

/** `GET /api/v1/charts`: written by `npm run surface`, laid out. Units are pixels at 100 %. By the
 *  kind of actor, which is also the id of the machine. */
export interface Charts {
  readonly machines: Readonly<Record<string, ChartPicture>>;
}

export interface ChartPicture {
  readonly width: number;
  readonly height: number;
  readonly states: readonly ChartState[];
  readonly arrows: readonly ChartArrow[];
}

export interface ChartState {
  /** `active.scheduling.sufficient`; a prefix is its parent. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'region' | 'final';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ChartArrow {
  readonly from: string;
  readonly to: string;
  /** Corners of the line. */
  readonly points: readonly (readonly [number, number])[];
}

/** Body of `POST .../park` and `POST .../unpark`, as `application/json`; the answer is that of the
 *  question. An Event on the object names user and reason. */
export interface CommandBody {
  /** 1 to 500 characters. */
  readonly reason: string;
}

/** Body of every answer that is not 2xx. */
export interface Refused {
  /** Of docs/errors.md. */
  readonly code: string;
  readonly message: string;
}
