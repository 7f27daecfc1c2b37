// Opens connections to pods: short attempts that grow, and only a timeout is tried again, as a pod
// that refuses is there and will go on refusing (spec activator 1.13, H-91). Used by pods.ts.
import { connect, type Socket } from 'node:net';

export interface DialLimits {
  /** Of the first attempt; each further one takes `growth` times as long, give or take `jitter`. */
  readonly firstMs: number;
  readonly growth: number;
  readonly jitter: number;
  readonly attempts: number;
  /** Between two attempts: at least so long, and up to twice as long. */
  readonly pauseMs: number;
  readonly keepAliveMs: number;
}

export const dialLimits: DialLimits = {
  firstMs: 50,
  growth: 1.4,
  jitter: 0.1,
  attempts: 15,
  pauseMs: 30,
  keepAliveMs: 5_000,
};

export type Dialled = (error: Error | undefined, socket: Socket | undefined) => void;

export class DialTimeout extends Error {}

/** Calls back once. The function that it returns gives up: nothing is called then. */
export function dial(
  { host, port }: { readonly host: string; readonly port: number },
  limits: DialLimits,
  done: Dialled,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let socket: Socket | undefined;
  const attempt = (number: number, ms: number): void => {
    const made = connect({ host, port, noDelay: true, highWaterMark: 64 * 1_024 });
    socket = made;
    made.setKeepAlive(true, limits.keepAliveMs);
    const failed = (error: Error): void => {
      clearTimeout(timer);
      done(error, undefined);
    };
    made.once('error', failed);
    made.once('connect', () => {
      clearTimeout(timer);
      made.off('error', failed);
      done(undefined, made);
    });
    const limit = ms * (1 + limits.jitter * (2 * Math.random() - 1));
    timer = setTimeout(() => {
      made.destroy();
      if (number >= limits.attempts) {
        return done(new DialTimeout(`no connection after ${number} attempts`), undefined);
      }
      const pause = limits.pauseMs * (1 + Math.random());
      timer = setTimeout(() => attempt(number + 1, ms * limits.growth), pause);
    }, limit);
  };
  attempt(1, limits.firstMs);
  return () => {
    clearTimeout(timer);
    socket?.destroy();
  };
}

/** `10.0.0.1:8012` or `[::1]:8012` (H-75). */
export function hostPortOf(dest: string): { readonly host: string; readonly port: number } {
  const colon = dest.lastIndexOf(':');
  const host = dest.slice(0, colon);
  return {
    host: host.startsWith('[') ? host.slice(1, -1) : host,
    port: Number(dest.slice(colon + 1)),
  };
}
