// Every change of a cluster in its order, from etcd itself: its watch goes on where it was when the
// API server restarts, whose own watches forget what happened meanwhile. Objects are as etcd has
// them, which is JSON throughout (`--storage-media-type`, test/cluster/commands.ts).
import { setTimeout as pause } from 'node:timers/promises';
import type { Stored } from '#src/devcluster/contract.ts';
import { driver } from '#test/sim/cliques/objects.ts';
import { at, fieldsAt, listAt, textAt } from '#test/sim/fields.ts';
import { type Committed, steadyNow } from './records.ts';

/** All that is of interest lives there, besides the nodes, which etcd has by an older name. */
const kept: ReadonlySet<string> = new Set(['default', driver, 'minions']);

const [first, last] = ['/registry/', '/registry0'].map((key) =>
  Buffer.from(key).toString('base64'),
);
const retryMs = 100;

export class EtcdTape {
  readonly #url: string;
  readonly #take: (change: Committed) => void;
  readonly #over = new AbortController();
  #version = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, take: (change: Committed) => void) {
    this.#url = url;
    this.#take = take;
  }

  /** Takes all that is there, in the order of its versions, and from then on every change; resolves
   *  with the version in between. */
  async start(): Promise<number> {
    const reply = await this.#ask('/v3/kv/range', { key: first, range_end: last });
    const all: unknown = await reply.json();
    const changes = listAt(all, 'kvs').flatMap((kv) => changeOf(kv, false));
    for (const change of changes.toSorted((a, b) => a.version - b.version)) this.#take(change);
    this.#version = Number(textAt(all, 'header', 'revision'));
    this.#running = this.#follow();
    return this.#version;
  }

  /** No more is taken; what etcd had until now was, if `version` was reached. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  /** Up to which everything was taken that etcd has told of. */
  get version(): number {
    return this.#version;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    for (; !signal.aborted; await pause(retryMs)) {
      const create_request = {
        key: first,
        range_end: last,
        start_revision: String(this.#version + 1),
        prev_kv: true,
      };
      try {
        await this.#read(await this.#ask('/v3/watch', { create_request }));
      } catch {
        // etcd is down for a moment, or this is over.
      }
    }
  }

  async #read({ body }: Response): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#hear(JSON.parse(line));
    }
  }

  #hear(message: unknown): void {
    for (const event of listAt(message, 'result', 'events')) {
      const isDeleted = textAt(event, 'type') === 'DELETE';
      const kv = { ...(isDeleted ? fieldsAt(event, 'prev_kv') : {}), ...fieldsAt(event, 'kv') };
      this.#version = Math.max(this.#version, Number(kv['mod_revision']));
      for (const change of changeOf(kv, isDeleted)) this.#take(change);
    }
  }

  #ask(path: string, body: unknown): Promise<Response> {
    const { signal } = this.#over;
    return fetch(this.#url + path, { method: 'POST', body: JSON.stringify(body), signal });
  }
}

/** Of an object in one of the namespaces or a node; none for anything else. */
function changeOf(kv: unknown, isDeleted: boolean): Committed[] {
  const key = Buffer.from(textAt(kv, 'key'), 'base64').toString();
  const parts = key.split('/').slice(2);
  if (!kept.has(parts.at(-2) ?? '') || parts.includes('endpoints')) return [];
  const object = objectOf(textAt(kv, 'value'));
  const version = Number(textAt(kv, 'mod_revision'));
  if (object === undefined) return [];
  const { managedFields: _, ...metadata } = object.metadata;
  const [one = '', two = ''] = parts;
  const [group = ''] = textAt(object, 'apiVersion').includes('/')
    ? textAt(object, 'apiVersion').split('/')
    : [''];
  const plural = one.includes('.') ? two : one;
  const collection = `${group}/${plural === 'minions' ? 'nodes' : plural}`;
  const whole = { ...object, metadata: { ...metadata, resourceVersion: String(version) } };
  return [{ t: steadyNow(), version, isDeleted, collection, object: whole }];
}

function objectOf(value: string): Stored | undefined {
  const text = Buffer.from(value, 'base64').toString();
  const object: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  return typeof at(object, 'metadata') === 'object' ? (object as Stored) : undefined;
}
