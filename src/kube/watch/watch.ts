// One watch from its opening to its end, whatever the end is: the server closed it, refused it,
// sent an ERROR event, the connection broke, or it fell silent. The reflector opens one after the
// other.
import type { Clock } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { editorsOf, type Editors } from '#machines/kubernetes/editors.ts';
import { at, textOf } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { failureOf, failureOfStatus, unreachable, type Failure } from '../errors.ts';
import type { KubeTransport, WatchEnd } from '../transport/transport.ts';
import { prune } from './prune.ts';

export type WatchEvent =
  | {
      readonly type: 'changed';
      readonly object: KubeObject;
      readonly editors: Editors | undefined;
    }
  | { readonly type: 'deleted'; readonly object: KubeObject }
  | { readonly type: 'bookmark'; readonly version: string };

/** Why a watch is over. `failure` absent: it ended in good order, or was given up for silence. */
export interface WatchOver {
  readonly failure?: Failure;
  /** True: refused at the opening or told in an ERROR event, so the server did answer. */
  readonly refused: boolean;
  readonly silent: boolean;
  readonly events: number;
  readonly lastedMs: number;
}

export interface WatchRequest {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly kind: Kind;
  readonly path: string;
  readonly silenceMs: number;
  readonly event: (event: WatchEvent) => void;
  /** True for a version that is known already; no event follows then. */
  readonly isEcho: (version: string) => boolean;
  /** Exactly once, and nothing after it; not after `close`. */
  readonly over: (over: WatchOver) => void;
}

/** Opens the watch; the returned function closes it, after which nothing is called any more. */
export function openWatch(request: WatchRequest): () => void {
  const { clock, silenceMs } = request;
  // The time of day may jump; a watch that fell silent before must not be trusted for that long.
  const steady = (): number => clock.steady();
  const openedAt = steady();
  let heardAt = openedAt;
  let events = 0;
  let isOver = false;
  let cancelTimer = (): void => {};
  let closeStream = (): void => {};
  const close = (): void => {
    isOver = true;
    cancelTimer();
    closeStream();
  };
  const end = (how: { failure?: Failure; refused?: boolean; silent?: boolean }): void => {
    if (isOver) return;
    close();
    const lastedMs = steady() - openedAt;
    request.over({ refused: false, silent: false, ...how, events, lastedMs });
  };
  const listen = (): void => {
    const leftMs = heardAt + silenceMs - steady();
    if (leftMs <= 0) return end({ silent: true });
    cancelTimer = clock.at(clock.now() + Math.min(leftMs, silenceMs), listen);
  };
  listen();
  closeStream = request.transport.watch(request.path, {
    isEcho: (version) => {
      if (isOver || !request.isEcho(version)) return false;
      heardAt = steady();
      events += 1;
      return true;
    },
    event: ({ type, object }) => {
      if (isOver) return;
      heardAt = steady();
      if (type === 'ERROR') return end({ failure: failureOfStatus(object), refused: true });
      events += 1;
      const event = eventOf(request.kind, type, object);
      if (event !== undefined) request.event(event);
    },
    closed: (reason) => end(howClosed(reason)),
  });
  // The transport may have ended the watch before it returned.
  if (isOver) closeStream();
  return close;
}

/** Undefined for what is no news: an unknown type, or an object without a name. */
function eventOf(kind: Kind, type: string, raw: unknown): WatchEvent | undefined {
  if (type === 'BOOKMARK') {
    const version = textOf(at(raw, 'metadata', 'resourceVersion'));
    return version === undefined || version === '' ? undefined : { type: 'bookmark', version };
  }
  const object = prune(kind, raw);
  if (object === undefined) return undefined;
  if (type === 'ADDED' || type === 'MODIFIED') {
    return { type: 'changed', object, editors: editorsOf(raw) };
  }
  return type === 'DELETED' ? { type: 'deleted', object } : undefined;
}

function howClosed(reason: WatchEnd): { failure?: Failure; refused?: boolean } {
  if (reason.kind === 'refused') return { failure: failureOf(reason.response), refused: true };
  if (reason.kind === 'ended' && reason.error === undefined) return {};
  return { failure: unreachable(reason.kind === 'ended' ? reason.error : 'closed from outside') };
}
