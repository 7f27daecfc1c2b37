// What a recording of a day of chaos is made of. Each process writes what it asks for and what it
// is shown to a file of its own (http.ts, tape.ts), the proxy before it what the server answered,
// and etcd tells of every change in its order (etcd.ts). judge.ts plays all of it again.
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { textAt } from '#test/sim/fields.ts';

type Method = KubeRequest['method'];

/** An object as a list or a watch showed it: whatever it holds is in the change of that version. */
export type Reference = readonly [namespace: string, name: string, uid: string, version: string];

/** By one process, in its own order. `t`: milliseconds of the machine's steady clock. */
export type ProcessRecord =
  /** It hands a request to its transport. */
  | {
      readonly is: 'asks';
      readonly t: number;
      readonly id: number;
      readonly method: Method;
      readonly path: string;
      readonly body?: unknown;
    }
  /** It goes on the wire now: until here the process could keep it back. */
  | { readonly is: 'sends'; readonly t: number; readonly id: number }
  /** An answer reaches it; without a status: that there is none. */
  | {
      readonly is: 'hears';
      readonly t: number;
      readonly id: number;
      readonly status?: number;
      readonly body?: unknown;
      readonly items?: readonly Reference[];
    }
  /** A watch shows it an object. */
  | {
      readonly is: 'event';
      readonly t: number;
      readonly path: string;
      readonly type: string;
      readonly object: Reference;
    }
  /** Its actors of some shards are gone. */
  | { readonly is: 'lost'; readonly t: number };

/** The newest version that the line shows; 0: none. */
export function versionShown(line: ProcessRecord): number {
  if (line.is === 'event') return Number(line.object[3]);
  if (line.is !== 'hears') return 0;
  return Number(textAt(line.body, 'metadata', 'resourceVersion')) || 0;
}

/** A request of a process that the server has answered, whether the process ever hears that. */
export interface Answered {
  readonly t: number;
  readonly life: number;
  readonly method: Method;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  /** Absent for reads. */
  readonly answer: unknown;
  /** When it came to the server. */
  readonly askedAt: number;
}

/** One change in etcd. */
export interface Committed {
  /** When it was seen. */
  readonly t: number;
  readonly version: number;
  readonly isDeleted: boolean;
  /** `group/plural`. */
  readonly collection: string;
  /** What was deleted, or is there now. */
  readonly object: Stored;
}

/** What was done to the processes. */
export interface Note {
  readonly t: number;
  readonly text: string;
  /** The life of a process that begins, ends, stands still or goes on. */
  readonly life?: number;
  readonly turn?: 'begins' | 'ends' | 'stands still' | 'goes on';
}

/** Milliseconds of the clock that all processes of the machine share, and that nobody sets. */
export const steadyNow = (): number => Number(process.hrtime.bigint()) / 1e6;
