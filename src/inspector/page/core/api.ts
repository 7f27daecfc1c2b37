// Requests to the inspector's server. The token comes once in the fragment of the address, stays in
// this tab alone, and is asked for where there is none or it is refused.
import { signal } from '@preact/signals';
import type { Refused, SessionToken } from '#src/inspector/protocol.ts';

const storedAs = 'coppice.token';
/** Of the link that was opened, until the server has judged it. */
const linkStoredAs = 'coppice.link';

/** Who says nothing for so long does not answer: a port-forward may have lost its other end. */
const answerMs = 60_000;

/** What the server refused, or that it was not reached: `code` is one of docs/errors.md. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: Refused) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Why a token is asked for; undefined: none is. */
export const tokenWanted = signal<string | undefined>(undefined);

let token = sessionStorage.getItem(storedAs) ?? '';

/** Keeps that of the link that was opened, for `tradeTokenOfLink`. Out of the address at once: that
 *  is copied, and stays in the history of the browser. */
export function keepTokenOfLink(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  sessionStorage.setItem(linkStoredAs, given);
}

let trade: Promise<void> | undefined;

/** Rejects where the server does not say whether it is valid: it is kept for another attempt. One
 *  that is refused is dropped; this tab may have that of its session still. */
export function tradeTokenOfLink(): Promise<void> {
  trade ??= tradeOnce().finally(() => {
    trade = undefined;
  });
  return trade;
}

async function tradeOnce(): Promise<void> {
  const given = sessionStorage.getItem(linkStoredAs);
  if (given === null) return;
  try {
    await useToken(given);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    console.warn(`the token of the link: ${messageOf(error)}`);
    tokenWanted.value = undefined;
  }
  sessionStorage.removeItem(linkStoredAs);
}

/** Trades a token for that of a session, which this tab sends from then on. Rejects where it is
 *  refused; what was sent before is sent still then, as a link may be opened twice. */
export async function useToken(given: string): Promise<void> {
  const before = token;
  token = given;
  try {
    const response = await ask('/session', { method: 'POST', signal: inTime() });
    const answer: SessionToken = await response.json();
    token = answer.token;
    sessionStorage.setItem(storedAs, token);
    tokenWanted.value = undefined;
  } catch (error) {
    token = before;
    throw error;
  }
}

/** The answer, which is 2xx; rejects with a `RequestError` otherwise. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token !== '') headers.set('authorization', `Bearer ${token}`);
  const response = await fetch(`/api/v1${path}`, { ...init, headers }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestError(0, {
      code: 'UNREACHABLE',
      message: `the server does not answer (${message})`,
    });
  });
  if (response.ok) return response;
  const refused = await refusalOf(response);
  if (response.status === 401) tokenWanted.value = refused.message;
  throw new RequestError(response.status, refused);
}

/** As the body says, where it is one of ours: a proxy in between answers in its own way. */
async function refusalOf(response: Response): Promise<Refused> {
  const text = await response.text().catch(() => '');
  try {
    const body: Partial<Refused> = JSON.parse(text);
    if (body.code !== undefined && body.message !== undefined) {
      return { code: body.code, message: body.message };
    }
  } catch {
    // Said below.
  }
  return { code: `HTTP_${response.status}`, message: text.slice(0, 200) || response.statusText };
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(path, { signal: inTime(signal) });
  const body: T = await response.json();
  return body;
}

export async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal: inTime() });
}

function inTime(signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(answerMs);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

/** The server has judged the token: to ask again is no use. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 401 || error.status === 403);

export const messageOf = (error: unknown): string =>
  error instanceof RequestError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error);
