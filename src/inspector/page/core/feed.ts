// Keeps the rows up to date: lists all actors, then follows the stream; after a loss it comes back
// where it was, later and later, and lists anew where the server says so or is another process.
import { computed, effect, signal, untracked } from '@preact/signals';
import type {
  ActorPage,
  FactRow,
  Missing,
  Session,
  ShardRow,
  StreamEvent,
} from '#src/inspector/protocol.ts';
import {
  ask,
  get,
  isRefusal,
  messageOf,
  RequestError,
  tokenWanted,
  tradeTokenOfLink,
} from './api.ts';
import { changeRows, replaceRows } from './rows.ts';
import { readEvents } from './stream.ts';

export type Connection =
  | { readonly is: 'connecting' }
  | { readonly is: 'live' }
  | { readonly is: 'paused'; readonly since: number }
  | { readonly is: 'lost'; readonly why: string; readonly since: number; readonly retryAt: number }
  /** Nothing is tried before the user acts. */
  | { readonly is: 'refused'; readonly why: string };

export const connection = signal<Connection>({ is: 'connecting' });
export const session = signal<Session | undefined>(undefined);
export const shards = signal<readonly ShardRow[]>([]);
/** Processes that own shards and do not answer: their actors are shown as they were. */
export const missing = signal<Missing>([]);
export const isPaused = signal(false);
/** Rows were listed once: what is shown is true, or was. */
export const isListed = signal(false);
/** What the present view wants of facts: an actor's id, `all`, or nothing. */
export const factsWanted = signal('');

/** The clock of the server, as far as it is known: ages are told by it. */
let clockOffset = 0;
export const serverNow = (): number => Date.now() + clockOffset;

const firstPauseMs = 500;
const maxPauseMs = 10_000;
/** After any other refusal it is worth to ask again. */
const statuses: Readonly<Record<string, number>> = { UNAUTHORIZED: 401, FORBIDDEN: 403 };
/** Servers ping more often: a stream that says nothing for so long is dead. */
const silenceMs = 45_000;

type Listener = (facts: readonly FactRow[], skipped: number) => void;
const listeners = new Set<Listener>();

/** The facts that `factsWanted` names, as they come. */
export function onFacts(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const gapListeners = new Set<() => void>();

/** Facts may have come that no stream has told: after the rows were listed anew. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => gapListeners.delete(listener);
}

let sequence = 0;
let isResyncNeeded = true;
let attempts = 0;
let running = new AbortController();
const wanted = computed(() => `${String(isPaused.value)} ${factsWanted.value}`);

/** For ever. */
export function startFeed(): void {
  let before = '';
  effect(() => {
    const now = wanted.value;
    const isAsked = tokenWanted.value !== undefined;
    if (before !== '' && before !== now && !isAsked) untracked(restart);
    before = now;
  });
  restart();
}

/** At once, whatever was waited for. */
export function restart(): void {
  running.abort();
  running = new AbortController();
  attempts = 0;
  void run(running.signal);
}

async function run(ended: AbortSignal): Promise<void> {
  if (isPaused.value) {
    connection.value = { is: 'paused', since: serverNow() };
    return;
  }
  let lostAt = 0;
  while (!ended.aborted) {
    try {
      await follow(ended);
      throw new Error('the server ended the stream');
    } catch (error) {
      if (ended.aborted) return;
      if (isRefusal(error)) {
        connection.value = { is: 'refused', why: messageOf(error) };
        return;
      }
      if (connection.value.is !== 'lost') lostAt = serverNow();
      const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** attempts) * (0.75 + Math.random() / 2);
      attempts++;
      const retryAt = serverNow() + pause;
      connection.value = { is: 'lost', why: messageOf(error), since: lostAt, retryAt };
      await passed(pause, ended);
    }
  }
}

/** Resolves where the stream ends in order. */
async function follow(ended: AbortSignal): Promise<void> {
  await tradeTokenOfLink();
  const known = session.value?.process;
  const now = await get<Session>('/session', ended);
  clockOffset = now.now - Date.now();
  session.value = now;
  shards.value = now.shards;
  if (now.process !== known) isResyncNeeded = true;
  if (isResyncNeeded) await list(ended);
  const query = new URLSearchParams({ after: String(sequence), process: now.process });
  if (factsWanted.value !== '') query.set('facts', factsWanted.value);
  const silence = new AbortController();
  const nextWord = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => silence.abort(new Error(`no word for ${silenceMs / 1000} s`)), silenceMs);
  let guard = nextWord();
  try {
    const response = await ask(`/stream?${query.toString()}`, {
      signal: AbortSignal.any([ended, silence.signal]),
    });
    connection.value = { is: 'live' };
    for await (const event of readEvents<StreamEvent>(response)) {
      clearTimeout(guard);
      attempts = 0;
      if (ended.aborted) return;
      take(event);
      if (isResyncNeeded) await list(ended);
      guard = nextWord();
    }
  } finally {
    clearTimeout(guard);
    silence.abort();
  }
}

async function list(ended: AbortSignal): Promise<void> {
  const page = await get<ActorPage>('/actors', ended);
  sequence = page.sequence;
  missing.value = page.missing ?? [];
  replaceRows(page.rows);
  isResyncNeeded = false;
  isListed.value = true;
  for (const listener of gapListeners) listener();
}

function take(event: StreamEvent): void {
  switch (event.type) {
    case 'delta':
      sequence = event.sequence;
      changeRows(event.rows, event.gone);
      return;
    case 'facts':
      for (const listener of listeners) listener(event.facts, event.skipped);
      return;
    case 'shards':
      shards.value = event.shards;
      missing.value = event.missing ?? [];
      return;
    case 'resync':
      isResyncNeeded = true;
      return;
    case 'ping':
      clockOffset = event.now - Date.now();
      return;
    case 'refused':
      if (event.code === 'UNAUTHORIZED') tokenWanted.value = event.message;
      throw new RequestError(statuses[event.code] ?? 0, event);
  }
}

function passed(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
