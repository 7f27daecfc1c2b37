// The log of one run of the controller on a real control plane: every request of the controller and
// of the user with its answer, and what other actors did in between as the watches told it. Kept as
// JSON lines, compressed; main.ts records it, replay.test.ts plays it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';

/** Who sent a request: the replay sends it under the same name. */
export type Actor = 'controller' | 'user';

export interface Exchange {
  readonly type: 'request';
  readonly by: Actor;
  readonly method: KubeRequest['method'];
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** An object as somebody else left it. */
export interface Foreign {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

/** What there was before the run, besides the CRDs. */
export interface Given {
  readonly type: 'given';
  readonly objects: readonly JsonObject[];
}

export type Entry = Given | Exchange | Foreign;

const file = fileURLToPath(new URL('./fifty-replicas.jsonl.gz', import.meta.url));

export function readLog(): readonly Entry[] {
  const text = gunzipSync(readFileSync(file)).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Entry => JSON.parse(line));
}

/** Bytes written. */
export function writeLog(entries: readonly Entry[]): number {
  const bytes = gzipSync(entries.map((entry) => JSON.stringify(entry)).join('\n'), { level: 9 });
  writeFileSync(file, bytes);
  return bytes.length;
}
